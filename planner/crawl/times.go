package crawl

import (
	"time"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// timesSetting names the setting that keeps how long the downloads of a server take.
func timesSetting(server string) string { return "times/" + server }

// RecallTimes returns the observed download times of a server, in milliseconds; zero if there are
// none. setting is Store.Setting.
func RecallTimes(setting func(name string) ([]byte, bool, error), server string) (
	schedule.Times, error) {
	value, ok, err := setting(timesSetting(server))
	if err != nil || !ok {
		return schedule.Times{}, err
	}
	return schedule.DecodeTimes(value)
}

// download has the observed download times of a server, in nanoseconds.
type download struct {
	schedule.Times
	recalled bool
}

// recallTimes reads the download times of a server that an earlier process stored.
func (l *Loop) recallTimes(s sitegraph.ServerID) error {
	for int(s) >= len(l.downloads) {
		l.downloads = append(l.downloads, download{})
	}
	of := &l.downloads[s]
	if of.recalled {
		return nil
	}
	of.recalled = true
	server := l.graph.ServerName(s)
	t, err := RecallTimes(l.Store.Setting, server)
	if err != nil {
		return l.storeError(err, "read the times of %s", server)
	}
	of.Times = schedule.Times{Mean: t.Mean * schedule.Tick(time.Millisecond),
		Max: t.Max * schedule.Tick(time.Millisecond), Count: t.Count}
	return nil
}

// timesOf returns how long downloads from a server take, in nanoseconds.
func (l *Loop) timesOf(s sitegraph.ServerID) schedule.Times {
	if int(s) < len(l.downloads) {
		return l.downloads[s].Times
	}
	return schedule.Times{}
}

// keepTimesEvery is the number of downloads between two saves of the times. They are also saved
// when that number is a power of two.
const keepTimesEvery = 64

// noteDownload records how long a download took, and saves the times now and then.
func (l *Loop) noteDownload(s sitegraph.ServerID, took time.Duration) error {
	of := &l.downloads[s]
	of.Observe(schedule.Tick(took))
	if n := of.Count; n%keepTimesEvery != 0 && n&(n-1) != 0 {
		return nil
	}
	millis := func(t schedule.Tick) schedule.Tick {
		return (t + schedule.Tick(time.Millisecond) - 1) / schedule.Tick(time.Millisecond)
	}
	kept := schedule.Times{Mean: millis(of.Mean), Max: millis(of.Max), Count: of.Count}
	server := l.graph.ServerName(s)
	if err := l.Store.SaveSetting(timesSetting(server), kept.Encode()); err != nil {
		return l.storeError(err, "save the times of %s", server)
	}
	return nil
}
