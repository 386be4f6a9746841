package urlfrontier_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	"github.com/recrawl/recrawl/cmd/cluster/urlfrontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
	"github.com/recrawl/recrawl/satstore"
)

// serveIn names the variable with the directory that a process of this test binary serves.
const serveIn = "URLFRONTIER_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveIn); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serve(dir string) error {
	store, err := satstore.OpenQueues(dir, nil)
	if err != nil {
		return err
	}
	f, err := frontier.Open(store, frontier.Options{Seed: [16]byte{9}}, time.Now())
	if err != nil {
		return err
	}
	server, err := urlfrontier.Listen(f, urlfrontier.Options{
		Settings: urlfrontier.Settings{Listen: "127.0.0.1:0"}, Now: time.Now,
		Level: new(slog.LevelVar),
		Log:   slog.New(slog.NewTextHandler(io.Discard, nil)), Failed: store.Failed(),
		Err: store.Err,
	})
	if err != nil {
		return err
	}
	fmt.Println("at", server.Address())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	if err := server.Serve(ctx); err != nil {
		return err
	}
	return store.Close()
}

// process is a server in a separate process, which a test may kill.
type process struct {
	cmd    *exec.Cmd
	conn   *grpc.ClientConn
	client pb.URLFrontierClient
}

func startProcess(t testing.TB, dir string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), serveIn+"="+dir)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "at ")
	if err != nil || !ok {
		t.Fatalf("the server says %q: %v", line, err)
	}
	p.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	p.client = pb.NewURLFrontierClient(p.conn)
	return p
}

// kill ends the process like kill -9.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		p.conn.Close()
	}
}
