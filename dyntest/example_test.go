package dyntest_test

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// What [dyntest.DB.Measure] returns prints as a table. This one shows what a lookup by slug sends in a test:
//
//	spent := db.Measure(func() { hotel, err = properties.New(db.DB, nil).BySlug(ctx, "harbour-house") })
func ExampleSpent() {
	spent := &dyntest.Spent{
		Cost: dyntest.Cost{Requests: 2, ReadUnits: 1},
		Calls: []dyntest.Call{
			{Operation: "Query", Usage: []dynastay.Usage{{Table: "Properties", Index: "GSI6-SlugIndex", ReadUnits: 0.5}}},
			{Operation: "Query", Usage: []dynastay.Usage{{Table: "Properties", ReadUnits: 0.5}}},
		},
	}
	fmt.Println(spent)
	// Output:
	// operation  table       index           requests  retries  read units  write units
	// Query      Properties                         1        0         0.5          0.0
	// Query      Properties  GSI6-SlugIndex         1        0         0.5          0.0
	// total                                         2        0         1.0          0.0
}
