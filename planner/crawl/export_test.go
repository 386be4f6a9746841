package crawl

// NewSteadyClockOf returns a clock on top of two given clocks.
var NewSteadyClockOf = newSteadyClock
