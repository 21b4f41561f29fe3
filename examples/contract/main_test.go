package main

import (
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"
)

func TestRun(t *testing.T) {
	e := dyntest.New(t, dyntest.OnlyTables()).Engine
	t.Setenv("DYNTEST_ENDPOINT", "") // restored, because the program sets it
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-endpoint", e.Endpoint(), "-lag", "20ms"}, &out, io.Discard))
	t.Logf("\n%s", &out)
	assert.Contains(t, out.String(), "endpoint "+e.Endpoint()+"\n\ngroup ")
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	assert.Contains(t, text, "\ntables 5 0 0\n")
	assert.Contains(t, text, "\n load: requests beyond the capacity are throttled: throttling cannot be provoked")
}

func TestRunFlags(t *testing.T) {
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, io.Discard, io.Discard), flag.ErrHelp)
}

func TestReport(t *testing.T) {
	of := func(group, name string) contract.Case {
		return contract.Case{Group: group, Name: name, Needs: "what needs it", Means: "what happens"}
	}
	var out strings.Builder
	require.NoError(t, show(&out, []contract.Result{
		{Case: of("reads", "first"), Verdict: contract.AsRequired},
		{Case: of("reads", "second"), Verdict: contract.Differs, Seen: "nothing"},
		{Case: of("load", "third"), Verdict: contract.NotShown, Seen: "no time"},
	}))
	assert.Equal(t, `group  as required  differs  not shown
reads  1            1        0
load   0            0        1

reads: second
  seen        nothing
  needed for  what needs it
  it means    what happens

not shown:
  load: third: no time
`, out.String())
}

// broken is a writer that fails.
type broken struct{}

var errBroken = errors.New("the disk is full")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestReportToABrokenWriter(t *testing.T) {
	require.ErrorIs(t, show(broken{}, nil), errBroken)
}
