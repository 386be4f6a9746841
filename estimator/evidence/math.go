package evidence

import "math"

// Tables over positive numbers have cellsPerOctave cells between powers of two and interpolate
// within a cell. Their relative error is below 0.002.
const (
	cellsPerOctave = 8
	firstOctave    = -30
	lastOctave     = 30
	tableSize      = (lastOctave-firstOctave)*cellsPerOctave + 1
	cellBits       = 23 - 3 // bits of a float32's 23 that lie within a cell
)

type table [tableSize]float32

func (t *table) at(cell int, part float32) float32 {
	cell = min(cell, tableSize-2)
	return t[cell] + part*(t[cell+1]-t[cell])
}

// tableCell returns the cell of a number, and its position within the cell.
func tableCell(x float32) (cell int, part float32) {
	if !(x > 1.0/(1<<-firstOctave)) {
		x = 1.0 / (1 << -firstOctave)
	}
	bits := math.Float32bits(x)
	cell = int(bits>>cellBits) - (127+firstOctave)*cellsPerOctave
	return min(cell, tableSize-2), float32(bits&(1<<cellBits-1)) / (1 << cellBits)
}

func newTable(f func(x float64) float64) *table {
	t := new(table)
	for i := range t {
		t[i] = float32(f(cellStart(i)))
	}
	return t
}

// cellStart returns the number at which a cell begins.
func cellStart(cell int) float64 {
	return math.Ldexp(1+float64(cell%cellsPerOctave)/cellsPerOctave,
		firstOctave+cell/cellsPerOctave)
}

// Log32 returns the logarithm of a number from 2^-30 to 2^30, within 0.002.
func Log32(x float32) float32 { return logTable.at(tableCell(x)) }

var (
	logTable        = newTable(math.Log)
	logChangedTable = newTable(func(x float64) float64 { return math.Log(-math.Expm1(-x)) })
	sameTable       = newTable(func(x float64) float64 { return math.Exp(-x) })
)

// Exp32 returns exp(x) for x below 80, within 0.3 %: 2^x by the exponent of a float32, and a
// parabola in between.
func Exp32(x float32) float32 {
	x = max(x*math.Log2E, -126)
	whole := int32(x)
	if float32(whole) > x {
		whole--
	}
	part := x - float32(whole)
	return math.Float32frombits(uint32(whole+127)<<23) * (1 + part*(0.6565+0.3435*part))
}

// LogOddsExpected returns the log odds of p = 1 - exp(-changes), with changes bounded by
// leastExpected and mostExpected.
func LogOddsExpected(changes float32) float32 {
	if !(changes > leastExpected) {
		changes = leastExpected
	} else if changes > mostExpected {
		changes = mostExpected
	}
	return logOddsTable.at(tableCell(changes))
}

var logOddsTable = newTable(func(x float64) float64 { return math.Log(math.Expm1(x)) })

const leastExpected, mostExpected = 1e-4, 6

// The odds at these bounds.
var leastOdds, mostOdds = float32(math.Expm1(leastExpected)), float32(math.Expm1(mostExpected))

// Abs returns the magnitude of a number.
func Abs(x float32) float32 { return max(x, -x) }

const secondsPerDay = 24 * 60 * 60

// InDays converts seconds to days.
func InDays(seconds uint32) float32 { return float32(float64(seconds) / secondsPerDay) }
