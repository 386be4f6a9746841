package crawl

import "fmt"

// Traffic counts reads and writes of the store for the records of pages, over all processes.
type Traffic struct {
	Visits int64 `json:"visits"`
	// HandedOut counts the records read because they were due, Moved those that got another due
	// time without a visit.
	HandedOut int64 `json:"handed_out"`
	Moved     int64 `json:"moved"`
	Reads     int64 `json:"reads"`
	ReadBytes int64 `json:"read_bytes"`
	// RecordBytes counts the bytes of the records that the store was given.
	RecordBytes  int64 `json:"record_bytes"`
	WrittenBytes int64 `json:"written_bytes"`
}

// OfFlatLog returns the bytes read and written, divided by those of a flat log, which reads each
// record once and writes it once; 0 if no record was written.
func (t Traffic) OfFlatLog() float64 {
	if t.RecordBytes == 0 {
		return 0
	}
	return float64(t.ReadBytes+t.WrittenBytes) / float64(2*t.RecordBytes)
}

// String returns the costs of a visit in the store, as a sentence.
func (t Traffic) String() string {
	visits := float64(max(t.Visits, 1))
	return fmt.Sprintf("%.1f records handed out and %.1f moved a visit; %.1f reads, %.0f bytes read "+
		"and %.0f written; %.2f times a flat log", float64(t.HandedOut)/visits,
		float64(t.Moved)/visits, float64(t.Reads)/visits, float64(t.ReadBytes)/visits,
		float64(t.WrittenBytes)/visits, t.OfFlatLog())
}

// Traffic returns the traffic of the store until now.
func (l *Loop) Traffic() Traffic {
	t := l.account.Traffic
	if l.dues == nil {
		return t
	}
	reads, read, given, written := l.dues.store.Traffic()
	t.Visits += l.dues.visits
	t.HandedOut += l.dues.handedOut
	t.Moved += l.dues.rescheduled
	t.Reads += reads
	t.ReadBytes += read
	t.RecordBytes += given
	t.WrittenBytes += written
	return t
}

// TrafficOf returns the traffic of a store, as its loop last noted it.
func TrafficOf(s Store) (Traffic, error) {
	a, err := readAccount(s)
	return a.Traffic, err
}
