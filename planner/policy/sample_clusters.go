package policy

import (
	"math"
	"strings"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// clusterFeatures is the number of features of a page that go with its changes, for clusters like
// those of Tan and Mitra 2010: its place, its address, the size of its server, and its recent
// changes.
const clusterFeatures = 8

type clusterPoint [clusterFeatures]float64

func featuresOf(c *planner.Pages, p sitegraph.PageID) clusterPoint {
	g, h := c.Graph, &c.Memory(p).History
	url := g.URL(p)
	_, path, _ := strings.Cut(url, "://")
	digits := 0
	for i := range len(path) {
		if path[i] >= '0' && path[i] <= '9' {
			digits++
		}
	}
	index := 0.0
	if strings.HasSuffix(path, "/") {
		index = 1
	}
	return clusterPoint{
		float64(g.Depth(p)),
		float64(strings.Count(path, "/")),
		float64(digits) / float64(len(path)),
		index,
		math.Log1p(float64(len(g.Links(p)))),
		math.Log1p(float64(len(g.ServerPages(g.Server(p))))),
		gad(h, estimator.Days(h.Age(c.Round().End))),
		cho(h),
	}
}

// Bounds on clusters, and on pages whose features decide their centres.
const (
	maxClusters    = 64
	clusteredPages = 4096
)

// clustersOf groups pages by k-means of their features, each in units of its standard deviation:
// ten rounds of Lloyd's method on the first pages in order, at most sqrt(n/2) clusters, starting
// from pages at even distances in that order.
func clustersOf(c *planner.Pages) func([]sitegraph.PageID) [][]sitegraph.PageID {
	return func(pages []sitegraph.PageID) [][]sitegraph.PageID {
		if len(pages) == 0 {
			return nil
		}
		points := make([]clusterPoint, min(len(pages), clusteredPages))
		for i := range points {
			points[i] = featuresOf(c, pages[i])
		}
		scale := unitsOf(points)
		for i := range points {
			points[i].multiply(&scale)
		}
		k := min(max(int(math.Sqrt(float64(len(pages))/2)), 1), maxClusters, len(points))
		centers := make([]clusterPoint, k)
		for i := range centers {
			centers[i] = points[i*len(points)/k]
		}
		for range 10 {
			improve(centers, points)
		}
		groups := make([][]sitegraph.PageID, k)
		for _, p := range pages {
			point := featuresOf(c, p)
			point.multiply(&scale)
			i := nearest(centers, &point)
			groups[i] = append(groups[i], p)
		}
		full := groups[:0]
		for _, group := range groups {
			if len(group) > 0 {
				full = append(full, group)
			}
		}
		return full
	}
}

// unitsOf returns the inverse standard deviations of features; 0 for a constant one.
func unitsOf(points []clusterPoint) (scale clusterPoint) {
	n := float64(len(points))
	for f := range scale {
		var sum, squares float64
		for i := range points {
			sum += points[i][f]
		}
		for i := range points {
			squares += (points[i][f] - sum/n) * (points[i][f] - sum/n)
		}
		if squares > 1e-12*n {
			scale[f] = 1 / math.Sqrt(squares/n)
		}
	}
	return scale
}

func (p *clusterPoint) multiply(by *clusterPoint) {
	for f := range p {
		p[f] *= by[f]
	}
}

// improve moves each centre to the mean of the points nearest to it.
func improve(centers, points []clusterPoint) {
	sums, counts := make([]clusterPoint, len(centers)), make([]float64, len(centers))
	for i := range points {
		c := nearest(centers, &points[i])
		counts[c]++
		for f, x := range points[i] {
			sums[c][f] += x
		}
	}
	for c := range centers {
		if counts[c] > 0 {
			for f := range centers[c] {
				centers[c][f] = sums[c][f] / counts[c]
			}
		}
	}
}

func nearest(centers []clusterPoint, p *clusterPoint) int {
	best, least := 0, math.Inf(1)
	for c := range centers {
		distance := 0.0
		for f, x := range p {
			distance += (x - centers[c][f]) * (x - centers[c][f])
		}
		if distance < least {
			best, least = c, distance
		}
	}
	return best
}
