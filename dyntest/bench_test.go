package dyntest

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/dynastay/dynastay/keys"
)

// episode is a test within a benchmark: it ends, and cleans up, before the benchmark does.
type episode struct {
	testing.TB
	cleanups []func()
}

func (e *episode) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }
func (e *episode) Log(...any)       {} // or the same line thousands of times

func (e *episode) end() {
	for i := len(e.cleanups) - 1; i >= 0; i-- {
		e.cleanups[i]()
	}
}

func oneTest(b *testing.B, kind EngineKind) {
	e := &episode{TB: b}
	New(e, On(kind))
	e.end()
}

// onEach runs a benchmark on every kind of engine that starts here, and for the first test on it.
func onEach(b *testing.B, benchmark func(b *testing.B, kind EngineKind)) {
	for _, kind := range []EngineKind{Dynoxide, Java, Docker} {
		b.Run(string(kind), func(b *testing.B) {
			if _, err := (choice{kind: kind}).shared(); err != nil {
				b.Skip(err)
			}
			oneTest(b, kind)
			benchmark(b, kind)
		})
	}
}

// BenchmarkSetUp compares New and its clean-up on the shared engine with an engine that is started for one test, given
// the same tables, and ended. Both are measured in one run, so that their ratio says something on any machine.
func BenchmarkSetUp(b *testing.B) {
	onEach(b, func(b *testing.B, kind EngineKind) {
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

func oneEngine(b *testing.B, kind EngineKind) {
	ctx := b.Context()
	engine, end := startOwn(ctx, b, kind)
	require.NoError(b, engine.createOwnTables(ctx, "", keys.Tables()))
	require.NoError(b, end(context.WithoutCancel(ctx)))
}

// startOwn is Start, except that it shares no container with anybody.
func startOwn(ctx context.Context, b *testing.B, kind EngineKind) (*Engine, func(context.Context) error) {
	if kind != Docker {
		engine, err := Start(ctx, On(kind))
		require.NoError(b, err)
		return engine, engine.Stop
	}
	var container *testcontainers.DockerContainer
	require.NoError(b, containerLog.quietly(func() (err error) {
		container, err = runContainer(ctx, cmp.Or(os.Getenv(imageVar), defaultImage), rand.Text())
		return err
	}))
	address, err := container.PortEndpoint(ctx, containerPort, "")
	require.NoError(b, err)
	return newEngine("", "http://"+address, nil), func(ctx context.Context) error {
		return containerLog.quietly(func() error { return container.Terminate(ctx) })
	}
}

// BenchmarkParallelNew is BenchmarkSetUp's shared part with eight tests for each processor at the same time.
func BenchmarkParallelNew(b *testing.B) {
	onEach(b, func(b *testing.B, kind EngineKind) {
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
