package cycle

import (
	"github.com/recrawl/recrawl/planner/schedule"
)

// timesSetting is where the store keeps how long the downloads of a server take.
func timesSetting(server string) string { return "times/" + server }

// RecallTimes is what a loop has observed of the downloads of a server, in milliseconds; zero if it
// has observed none. setting is that of a Store.
func RecallTimes(setting func(name string) ([]byte, bool, error), server string) (schedule.Times, error) {
	value, ok, err := setting(timesSetting(server))
	if err != nil || !ok {
		return schedule.Times{}, err
	}
	return schedule.DecodeTimes(value)
}
