package crawl

// NewSteadyClockOf returns a clock of other clocks than the system's.
var NewSteadyClockOf = newSteadyClock
