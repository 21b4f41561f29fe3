package report_test

import (
	"context"
	"os"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
)

func ExampleFindings() {
	out := report.To(os.Stdout)
	_ = out.Step(context.Background(), "Rooms", func(_ context.Context, found *report.Findings) error {
		found.Row("Zürich", 12, "rooms from", dynastay.MustMoney("142.00", "EUR"))
		found.Row("Rome", 7, "rooms from", dynastay.MustMoney("89.50", "EUR"))
		found.Row("none is sold yet, and a line of text is not part of a column")
		return nil
	})
	_ = out.Total()
	// Output:
	//  1  Rooms                                                                        0       -       -
	//     Zürich   12   rooms from   142.00 EUR
	//     Rome      7   rooms from    89.50 EUR
	//     none is sold yet, and a line of text is not part of a column
	//
	//     All of it                                                                    0       -       -
}
