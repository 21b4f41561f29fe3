package report_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
)

func Example() {
	out := report.To(os.Stdout)
	_ = out.Head("dynoxide 1.2.1 on 127.0.0.1:40123", time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC))
	_ = out.Step(context.Background(), "A user signs up", func(ctx context.Context, found *report.Findings) error {
		out.Observe(ctx, dynastay.Call{Operation: "PutItem", Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 2}}})
		found.Add("version %d", 1)
		return nil
	})
	_ = out.Total()
	// Output:
	// dynoxide 1.2.1 on 127.0.0.1:40123
	// Its table is new; the clock stands at 2037-07-01 09:00 UTC.               requests    read   write
	//  1  A user signs up                                                              1       -     2.0
	//     version 1
	//     All of it                                                                    1       -     2.0
}

// What a step has found is printed even if the step failed.
func TestFailedStep(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	err := report.To(&printed).Step(t.Context(), "A step", func(_ context.Context, found *report.Findings) error {
		found.Add("something")
		return errors.New("sold out")
	})
	require.EqualError(t, err, "step 1: sold out")
	assert.Contains(t, printed.String(), "A step")
	assert.Contains(t, printed.String(), "\n    something\n")
}
