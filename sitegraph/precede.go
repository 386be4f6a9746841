package sitegraph

// Precede puts an earlier history before this one, with all visits before its first. between
// compares the last content of the earlier one with the first of this one. If it is Incomparable,
// the time between them counts neither as stable nor as changed, and is removed, like in Rebase. An
// earlier history without visits, or one that is not earlier, changes nothing.
func (h *History) Precede(earlier History, between Comparison) {
	if earlier.Visits == 0 || h.Visits == 0 || earlier.Last >= h.Epoch {
		return
	}
	gap, first := h.Epoch-earlier.Last, h.Epoch
	h.Epoch = earlier.Epoch
	seen, changed := earlier.WeeksBefore(Week(h.Last))
	h.WeeksSeen, h.WeeksChanged = h.WeeksSeen|seen, h.WeeksChanged|changed
	h.LastChange = max(h.LastChange, earlier.LastChange)
	h.shorter(earlier.MinInterval)
	h.Visits += earlier.Visits
	h.Changes += earlier.Changes
	h.Stable += earlier.Stable
	bit := uint32(1) << (Week(h.Last) - Week(first)) // 0 if it is too long ago
	switch between {
	case Same:
		h.Stable += gap
		h.WeeksSeen |= bit
	case Different:
		h.Changes++
		h.LastChange = max(h.LastChange, first)
		h.shorter(gap)
		h.WeeksSeen, h.WeeksChanged = h.WeeksSeen|bit, h.WeeksChanged|bit
	default:
		h.Epoch += gap
	}
}

func (h *History) shorter(interval uint32) {
	if interval > 0 && (h.MinInterval == 0 || interval < h.MinInterval) {
		h.MinInterval = interval
	}
}
