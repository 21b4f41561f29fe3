package dyntest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
)

var capabilities = []Capability{ExactUnits, IndexUnits, TruncatedBatches, LastKeyAtLimit, PartiQL, SingleShards, DisabledStreams}

// The engines are asked. What is known of two of them says whether the questions are the right ones.
func TestCapabilitiesOfKnownEngines(t *testing.T) {
	t.Parallel()
	assert.Len(t, probes, len(capabilities))
	for kind, lacks := range map[engine.Kind][]Capability{
		engine.Dynoxide: {DisabledStreams},
		engine.ExtendDB: {ExactUnits, IndexUnits, TruncatedBatches, LastKeyAtLimit, PartiQL, SingleShards},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(things), On(kind))
			w := &witness{TB: t}
			watched := *d
			watched.t = w
			for _, c := range capabilities {
				want := ""
				if slices.Contains(lacks, c) {
					want = fmt.Sprintf("dyntest: NOT RUN: the engine, %s, lacks %s", d.Engine.Name(), c)
				}
				assert.Equal(t, want, w.fatal(func() { watched.Requires(c) }))
				assert.Equal(t, want == "", d.Has(c), c)
			}
			assert.Equal(t, `dyntest: there is no capability "wings"`, w.fatal(func() { watched.Has("wings") }))
			tables, err := d.Engine.Client().ListTables(t.Context(), nil)
			require.NoError(t, err)
			for _, name := range tables.TableNames {
				assert.NotContains(t, name, probeTable.Name, "it stays")
			}
		})
	}
}
