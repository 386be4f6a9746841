package schedule

// Switch goes on and off with hysteresis, so that what hangs on it does not flap: on when a load
// stays at or above On for Hold ticks, off when it stays at or below Off as long.
type Switch struct {
	On, Off float64
	Hold    Tick

	on    bool
	since Tick // since when the load says otherwise; counts if armed
	armed bool
}

// Update takes in a load, and says whether the switch is on, and whether that is new.
func (s *Switch) Update(load float64, now Tick) (on, changed bool) {
	if otherwise := !s.on && load >= s.On || s.on && load <= s.Off; !otherwise {
		s.armed = false
		return s.on, false
	}
	if !s.armed {
		s.armed, s.since = true, now
	}
	if now-s.since < s.Hold {
		return s.on, false
	}
	s.on, s.armed = !s.on, false
	return s.on, true
}

// IsOn reports whether the switch is on.
func (s *Switch) IsOn() bool { return s.on }

// Regime chooses the policy by whether the connections suffice for the need: EDF where they do, SJF
// where they do not [HIER 3.3]. It starts with EDF.
type Regime struct{ scarce Switch }

// NewRegime returns one that changes the policy when the need is above all connections, or below
// four fifths of them, for hold ticks.
func NewRegime(hold Tick) *Regime { return &Regime{Switch{On: 1, Off: 0.8, Hold: hold}} }

// Policy takes in the need and the connections; changed: it is another one than before.
func (r *Regime) Policy(need Share, connections int, now Tick) (p Policy, changed bool) {
	scarce, changed := r.scarce.Update(need.Connections()/float64(max(connections, 1)), now)
	if scarce {
		return SJF, changed
	}
	return EDF, changed
}
