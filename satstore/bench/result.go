package bench

// Result is what Run has measured. Times are in microseconds a due record unless their
// names say otherwise.
type Result struct {
	Records      int        `json:"records"`
	Unit         string     `json:"unit"`
	Units        int        `json:"units"`
	MaxUnits     int        `json:"max_units"`
	FixedBytes   int        `json:"fixed_bytes"`
	BufferBytes  int        `json:"buffer_bytes"`
	PageBytes    int        `json:"page_bytes"`
	Messages     float64    `json:"messages"` // requests a due record
	Repeat       int        `json:"repeat"`
	Due          int        `json:"due"`           // visits in all units, the same in every engine
	Golden       bool       `json:"golden"`        // Due is known from an independent program
	PayloadBytes int64      `json:"payload_bytes"` // bodies of the due records
	LoadAverage  [2]float64 `json:"load_average"`  // at the beginning and at the end
	Disk         Disk       `json:"disk"`
	Engines      []Measure  `json:"engines"`
	Left         []string   `json:"left_out"` // engines that cannot do what was asked
}

// Measure is what was measured of one engine: medians over its runs.
type Measure struct {
	Engine string `json:"engine"`
	About  string `json:"about"`
	// Ratio is Micros over that of the first engine in the same repetition; from and to
	// are its extremes.
	Ratio Spread `json:"ratio"`
	// Micros is the time of a unit, its commit and a sync of all files.
	Micros float64 `json:"us_per_record"`
	// Median is that of the unit in the middle, Slowest that of the slowest.
	Median  float64 `json:"median_unit_us"`
	Slowest float64 `json:"slowest_unit_us"`
	CPU     float64 `json:"cpu_us_per_record"`
	// LaterCPU and LaterMicros are what the engine put off: CPU of its own goroutines
	// between units and all that settling took; time of settling and of the syncs before units.
	LaterCPU    float64 `json:"later_cpu_us_per_record"`
	LaterMicros float64 `json:"later_us_per_record"`
	// Payload is MB/s, 1e6 bytes: bodies read and written.
	Payload float64 `json:"payload_mb_per_second"`
	// Read and Written are bytes at the device over the bytes of the bodies. Read is of the
	// units; Written is everything from the first unit on, that put off and that owed
	// included, and WrittenInUnits what the timed parts wrote.
	Read           float64 `json:"read_amplification"`
	Written        float64 `json:"write_amplification"`
	WrittenInUnits float64 `json:"write_amplification_in_units"`
	// Cached is the largest share of the engine's files that was in the page cache when a
	// unit began; -1 if that is not known.
	Cached float64 `json:"cached_share"`
	Memory int64   `json:"memory_bytes"` // most, above what was used before the engine was opened
	// MemoryEnd is what stays after the last unit, without pages of mapped files, and
	// MemoryRecord that a record.
	MemoryEnd    int64   `json:"memory_end_bytes"`
	MemoryRecord float64 `json:"memory_end_bytes_per_record"`
	Stored       int64   `json:"disk_bytes"` // after the last unit
	Files        int     `json:"files"`
	Runs         []Trial `json:"runs"`
}

// Spread is a median and the extremes of what it is of.
type Spread struct {
	Median float64 `json:"median"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// Trial is one engine once.
type Trial struct {
	LoadSeconds float64 `json:"load_seconds"`
	// Beside is between the timed parts of the units; its time is that of the syncs before
	// units, which write out what came after the last. Settle is after the last unit.
	Beside Spent `json:"beside"`
	Settle Spent `json:"settle"`
	// Owed is how many more bytes wait to be written after that than before the first unit.
	Owed      int64      `json:"owed_bytes"`
	Memory    int64      `json:"memory_bytes"`
	MemoryEnd int64      `json:"memory_end_bytes"`
	Stored    int64      `json:"disk_bytes"`
	Files     int        `json:"files"`
	Units     []UnitCost `json:"units"`
}

// Spent is what something took, in seconds and bytes at the device.
type Spent struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
}

// UnitCost is what one unit took, in seconds and bytes.
type UnitCost struct {
	T       int     `json:"t"`
	Due     int     `json:"due"`
	Seconds float64 `json:"seconds"` // in all: the three parts that follow
	Visit   float64 `json:"visit_seconds"`
	Commit  float64 `json:"commit_seconds"`
	Sync    float64 `json:"sync_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
	Cached  float64 `json:"cached_share"` // of the files, at the beginning; -1: not known
}
