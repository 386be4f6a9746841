package directory

import (
	"errors"
	"io/fs"
	"testing"
)

// However Pebble fails, the work ends with the first failure, and nothing is done after it.
func TestGuard(t *testing.T) {
	for name, fail := range map[string]func(*Switch){
		"Fatalf": func(s *Switch) { s.Fatalf("MANIFEST: %v", fs.ErrPermission) },
		"panic":  func(*Switch) { panic(fs.ErrPermission) },
	} {
		s := New("write")
		if err := s.Guard(func() error { return nil }); err != nil || s.Err() != nil {
			t.Errorf("%s: before it %v, %v", name, err, s.Err())
		}
		err := s.Guard(func() error { fail(s); return nil })
		if !errors.Is(err, fs.ErrPermission) || err != s.Err() {
			t.Errorf("%s: %v, %v", name, err, s.Err())
		}
		<-s.Off()
		s.End(fs.ErrClosed)
		if again := s.Guard(func() error {
			t.Errorf("%s: work after it", name)
			return nil
		}); again != err {
			t.Errorf("%s: then %v", name, again)
		}
	}
}
