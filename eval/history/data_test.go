package history

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"
)

// realHistories returns the folder of recorded histories beside the module. Without it the test is
// skipped: it is too large to be part of the module.
func realHistories(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("the module root is not found: no recorded histories")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared", "data", "histories")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the recorded histories are not there: %v", err)
	}
	return dir
}

func TestRealHistories(t *testing.T) {
	dir := realHistories(t)
	if testing.Short() {
		t.Skip("reads 45 servers")
	}
	start := time.Now()
	servers, err := ReadFiles(context.Background(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	elapsed := time.Since(start)
	pages, versions := 0, 0
	for _, s := range servers {
		pages += len(s.Pages)
		for _, p := range s.Pages {
			versions += len(p.Versions)
		}
	}
	if len(servers) < 45 || pages < 70_000 || versions < 600_000 {
		t.Errorf("read %d servers, %d pages, %d versions", len(servers), pages, versions)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d servers, %d pages, %d versions in %v; %d MB live, %d MB from the system",
		len(servers), pages, versions,
		elapsed.Round(time.Millisecond), m.HeapAlloc>>20, m.Sys>>20)
	for _, s := range servers { // guarantee 2 on real data; the smallest suffice
		if len(s.Pages) > 300 {
			continue
		}
		var b bytes.Buffer
		if err := Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if again, err := Read(&b, s.Name); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s written and read differs: %v", s.Name, err)
		}
	}
}
