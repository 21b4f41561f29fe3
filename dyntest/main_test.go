package dyntest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

// childVar gives the test binary a role as a child of a test, for what can only be seen from outside: "start", or one
// that the test knows which started it.
const childVar = "DYNTEST_TEST_CHILD"

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "dynoxide":
		fakeDynoxide()
	case "npm":
		fakeNPM()
	}
	if os.Getenv(childVar) == "start" {
		startForParent()
	}
	os.Exit(m.Run())
}

// startForParent starts an engine, prints its endpoint, and lasts until the parent closes the standard input.
func startForParent() {
	engine, err := Start(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(engine.Endpoint())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// announceTables prints the tables of the test, as the engine lists them.
func announceTables(d *DB) {
	for _, name := range tables(context.Background(), d.Engine) {
		if strings.HasPrefix(name, d.prefix) {
			fmt.Println("table", name)
		}
	}
}

// tables are the names of all tables of an engine.
func tables(ctx context.Context, engine *Engine) []string {
	var names []string
	pages := dynamodb.NewListTablesPaginator(engine.Client(), &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			panic(err)
		}
		names = append(names, page.TableNames...)
	}
	return names
}

// child is this test binary as another process, which runs the same test only.
func child(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(executable, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), childVar+"="+role), env...)
	return cmd
}

// fakes is a folder in which this test binary goes by the given names.
func fakes(t *testing.T, names ...string) string {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.Symlink(executable, filepath.Join(dir, name)))
	}
	return dir
}

// refuseOnceVar names a file. The first fake dynoxide to see that it is not there makes it, and ends as if its port
// had been taken.
const refuseOnceVar = "DYNTEST_TEST_REFUSE_ONCE"

// fakeDynoxide is all of dynoxide that finding, starting and ending it needs.
func fakeDynoxide() {
	if slices.Equal(os.Args[1:], []string{"--version"}) {
		fmt.Println("dynoxide of this test")
		os.Exit(0)
	}
	if path := os.Getenv(refuseOnceVar); path != "" {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			fmt.Fprintln(os.Stderr, "the port is taken")
			os.Exit(1)
		}
	}
	// Should the test that is about its end fail, it ends all the same.
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	address := net.JoinHostPort(os.Args[3], os.Args[5]) // serve --host H --port P
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, http.NotFoundHandler()))
	os.Exit(1)
}

// archiveVar names the file that the fake npm delivers.
const archiveVar = "DYNTEST_TEST_ARCHIVE"

func fakeNPM() {
	archive, err := os.ReadFile(os.Getenv(archiveVar))
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Args[4], "a.tgz"), archive, 0o600) // pack NAME --pack-destination DIR
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// onlyUnix is for the tests that run dynoxide, real or not.
func onlyUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the dynoxide engine is not offered on Windows")
	}
}

// start starts a child, whose lines on its standard output the reader gives.
func start(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return bufio.NewReader(out)
}

// line is the next line that a child prints.
func line(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	text, err := from.ReadString('\n')
	require.NoError(t, err, "the child ended early, after %q", text)
	return strings.TrimSpace(text)
}
