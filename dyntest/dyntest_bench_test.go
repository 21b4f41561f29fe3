package dyntest

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/keys"
)

// episode is a test within a benchmark: it ends, and cleans up, before the benchmark does.
type episode struct {
	testing.TB
	cleanups []func()
}

func (e *episode) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }
func (e *episode) Log(...any)       {} // otherwise the same line is logged thousands of times

func (e *episode) end() {
	for i := len(e.cleanups) - 1; i >= 0; i-- {
		e.cleanups[i]()
	}
}

func oneTest(b *testing.B, kind engine.Kind) {
	e := &episode{TB: b}
	New(e, On(kind))
	e.end()
}

// onEach runs a benchmark on every kind of engine that starts on this machine, after one test on it.
func onEach(b *testing.B, benchmark func(b *testing.B, kind engine.Kind)) {
	for _, kind := range []engine.Kind{engine.Dynoxide, engine.Java, engine.Docker} {
		b.Run(string(kind), func(b *testing.B) {
			if _, err := configure([]Option{On(kind)}).start(b.Context()); err != nil {
				b.Skip(err)
			}
			oneTest(b, kind)
			benchmark(b, kind)
		})
	}
}

// BenchmarkSetUp compares New and its cleanup on the shared engine with an engine that is started for one test, given
// the same tables, and ended. Both are measured in one run, so that their ratio is meaningful on any machine.
func BenchmarkSetUp(b *testing.B) {
	onEach(b, func(b *testing.B, kind engine.Kind) {
		for b.Loop() {
			oneTest(b, kind)
		}
		shared := b.Elapsed() / time.Duration(b.N)

		const times = 5
		began := time.Now()
		for range times {
			oneEngine(b, kind)
		}
		own := time.Since(began) / times

		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(shared.Microseconds())/1000, "ms/New")
		b.ReportMetric(float64(own)/float64(shared), "engine-per-test/shared")
	})
}

func oneEngine(b *testing.B, kind engine.Kind) {
	ctx := b.Context()
	own, end := startOwn(ctx, b, kind)
	require.NoError(b, createTables(ctx, own, "", keys.Tables()))
	require.NoError(b, end(context.WithoutCancel(ctx)))
}

// startOwn is engine.Start, except that it does not share a container.
func startOwn(ctx context.Context, b *testing.B, kind engine.Kind) (*engine.Engine, func(context.Context) error) {
	if kind != engine.Docker {
		own, err := engine.Start(ctx, engine.On(kind))
		require.NoError(b, err)
		return own, own.Stop
	}
	docker := func(ctx context.Context, args ...string) string {
		out, err := exec.CommandContext(ctx, "docker", args...).Output()
		require.NoError(b, err, "docker %s", args)
		return strings.TrimSpace(string(out))
	}
	image := cmp.Or(os.Getenv("DYNTEST_IMAGE"), "amazon/dynamodb-local:3.1.0")
	container := docker(ctx, "run", "--detach", "--publish", "127.0.0.1::8000", "--label", "dynastay.dyntest", image)
	b.Setenv("DYNTEST_ENDPOINT", "http://"+docker(ctx, "port", container, "8000/tcp"))
	end := func(ctx context.Context) error {
		docker(ctx, "rm", "--force", container)
		return nil
	}
	for {
		// An endpoint is tried for at most two seconds, and Java may take longer to start.
		own, err := engine.Start(ctx, engine.On(engine.Endpoint))
		if err == nil {
			return own, end
		}
		require.NoError(b, ctx.Err())
	}
}

// BenchmarkParallelNew is BenchmarkSetUp's shared part with eight tests for each processor at the same time.
func BenchmarkParallelNew(b *testing.B) {
	onEach(b, func(b *testing.B, kind engine.Kind) {
		b.SetParallelism(8)
		b.RunParallel(func(next *testing.PB) {
			for next.Next() {
				oneTest(b, kind)
			}
		})
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/New")
	})
}
