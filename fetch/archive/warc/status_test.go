package warc

import "testing"

func TestStatusOf(t *testing.T) {
	for line, want := range map[string]int{
		"HTTP/1.1 200 OK\r\n": 200, "HTTP/1.0 404\n": 404, "http/1.1 200 ok\r\n": 200,
		"HTTP/1.1 200OK\r\n": 200, "HTTP/2 301, moved\r\n": 301, "HTTP/1.1  200\r\r\n": 200,
		"ICY 200 OK\r\n": 0, "HTTP/1.1 2000 OK\r\n": 0, "HTTP/1.1 20 OK\r\n": 0, "HTTP/1.1": 0,
	} {
		if got := statusOf([]byte(line)); got != want {
			t.Errorf("%q has status %d, want %d", line, got, want)
		}
	}
	if n := headLength([]byte("HTTP/1.1 200\r\r\n\r\r\nx")); n != 18 {
		t.Errorf("the head has %d octets", n)
	}
}
