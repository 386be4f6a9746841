package crawl

import "fmt"

// Traffic is what the store read and wrote for the records of pages, over all processes.
type Traffic struct {
	Visits int64 `json:"visits"`
	// HandedOut are records that it read as their time had come, Moved those that got another due
	// time without a visit.
	HandedOut int64 `json:"handed_out"`
	Moved     int64 `json:"moved"`
	Reads     int64 `json:"reads"`
	ReadBytes int64 `json:"read_bytes"`
	// RecordBytes are those of the records that it was given to keep.
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

// String says what a visit costs the store.
func (t Traffic) String() string {
	visits := float64(max(t.Visits, 1))
	return fmt.Sprintf("%.1f records handed out and %.1f moved a visit; %.1f reads, %.0f bytes read "+
		"and %.0f written; %.2f times a flat log", float64(t.HandedOut)/visits,
		float64(t.Moved)/visits, float64(t.Reads)/visits, float64(t.ReadBytes)/visits,
		float64(t.WrittenBytes)/visits, t.OfFlatLog())
}

// Traffic returns what the store did up to now.
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

// TrafficOf returns what a store did for records, as its loop noted last.
func TrafficOf(s Store) (Traffic, error) {
	a, err := readAccount(s)
	return a.Traffic, err
}
