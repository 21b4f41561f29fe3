package engine

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

	"github.com/stretchr/testify/require"
)

// childVar gives the test binary a role as a child of a test, for what can only be observed from outside: "start", or a role
// that is known to the test that started it.
const childVar = "DYNTEST_TEST_CHILD"

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "dynoxide":
		fakeDynoxide()
	case "java":
		fakeJava()
	case "npm":
		fakeNPM()
	}
	if os.Getenv(childVar) == "start" {
		startForParent()
	}
	// A run on Docker requires the option of package docker, whose tests pass it. These tests run on what Start finds without it.
	if os.Getenv(engineVar) == string(Docker) {
		if err := os.Unsetenv(engineVar); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// startForParent starts an engine, prints its endpoint, and waits until the parent closes standard input.
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

// child returns a command that runs only the current test, in another process of this test binary.
func child(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(executable, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), childVar+"="+role), env...)
	return cmd
}

// fakes returns a folder that has this test binary under the given names.
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

// refuseOnceVar names a file. The first fake dynoxide that finds no such file creates it, and exits as if its port were
// taken.
const refuseOnceVar = "DYNTEST_TEST_REFUSE_ONCE"

// fakeDynoxide implements what is necessary to find, start and end dynoxide.
func fakeDynoxide() {
	if slices.Equal(os.Args[1:], []string{"--version"}) {
		fmt.Println("dynoxide of this test")
		os.Exit(0)
	}
	noteStart()
	if path := os.Getenv(refuseOnceVar); path != "" {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			fmt.Fprintln(os.Stderr, "the port is taken")
			os.Exit(1)
		}
	}
	pretend(net.JoinHostPort(os.Args[3], os.Args[5])) // serve --host H --port P
}

// pretend is an engine that answers.
func pretend(address string) {
	// It also ends if the test of its end fails.
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, http.NotFoundHandler()))
	os.Exit(1)
}

// startsVar names a file to which every fake engine adds a line when it starts: its folder, its setting for telemetry,
// and its arguments.
const startsVar = "DYNTEST_TEST_STARTS"

func noteStart() {
	path := os.Getenv(startsVar)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, dir, "telemetry="+os.Getenv(telemetryVar), strings.Join(os.Args[1:], " "))
	if err := f.Close(); err != nil {
		panic(err)
	}
}

// starts returns the lines of startsVar's file.
func starts(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// oldJavaVar makes the fake java too old for its jar.
const oldJavaVar = "DYNTEST_TEST_OLD_JAVA"

func fakeJava() {
	noteStart()
	if os.Getenv(oldJavaVar) != "" {
		fmt.Fprintln(os.Stderr, "java.lang.UnsupportedClassVersionError: compiled by a more recent version")
		os.Exit(1)
	}
	pretend(net.JoinHostPort("127.0.0.1", os.Args[len(os.Args)-1]))
}

// unpacked is a folder that looks like an unpacked DynamoDB Local.
func unpacked(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "DynamoDBLocal.jar"), nil, 0o600))
	return folder
}

// nothingChosen unsets the environment variables that choose an engine.
func nothingChosen(t *testing.T) {
	t.Helper()
	for _, name := range []string{engineVar, endpointVar, localVar, imageVar, "JAVA_HOME"} {
		t.Setenv(name, "")
	}
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

// onlyUnix is for the tests that run an engine as a process, real or not.
func onlyUnix(t *testing.T) {
	t.Helper()
	if !mayLaunch {
		t.Skip("engines as processes are not supported on " + runtime.GOOS)
	}
}

// start starts a child and returns a reader of its standard output.
func start(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return bufio.NewReader(out)
}

// line returns the next line that a child prints.
func line(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	text, err := from.ReadString('\n')
	require.NoError(t, err, "the child ended early, after %q", text)
	return strings.TrimSpace(text)
}
