package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// adverse returns room types that are hard to combine: all have different limits, larger rooms cost more, and few rooms
// are left of each.
func adverse(n, occupancy, left int, seed uint64) []roomType {
	r := rand.New(rand.NewPCG(seed, 0))
	types := make([]roomType, n)
	for i := range types {
		o := 1 + r.IntN(occupancy)
		a := 1 + r.IntN(o)
		c := o - a + r.IntN(a+1)
		types[i] = typeOf(fmt.Sprintf("room_%02d", i), a, c, o, 1+r.IntN(left), "0")
		types[i].price = dynastay.MustMoney(fmt.Sprintf("%d", 3000+900*a+500*c+700*o+r.IntN(900)), "USD")
	}
	return types
}

func BenchmarkCombine(b *testing.B) {
	ordinary := []roomType{
		typeOf("single", 1, 0, 1, 4, "210"), typeOf("twin", 2, 0, 2, 9, "300"), typeOf("double", 2, 1, 3, 12, "330"),
		typeOf("triple", 3, 1, 3, 3, "400"), typeOf("family", 2, 3, 5, 2, "520"), typeOf("suite", 4, 2, 5, 1, "900"),
	}
	for _, test := range []struct {
		name  string
		party party
		types []roomType
	}{
		{"ordinary/2+0", partyOf(2, 0, 1), ordinary},
		{"ordinary/2+3", partyOf(2, 3, 1), ordinary},
		{"ordinary/6+4 in 4", partyOf(6, 4, 4), ordinary},
		{"10 types/5+5 in 5", partyOf(5, 5, 5), adverse(10, 6, 5, 1)},
		{"10 types/10+4 in 10", partyOf(10, 4, 10), adverse(10, 6, 5, 2)},
		{"90 types/15+15 in 1", partyOf(15, 15, 1), adverse(90, 12, 300, 3)},
		{"90 types/15+15 in 15", partyOf(15, 15, 15), adverse(90, 12, 3, 4)},
		{"90 types/20+10 in 20", partyOf(20, 10, 20), adverse(90, 4, 2, 5)},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := combine(test.types, test.party)
				require.NoError(b, err)
			}
		})
	}
	// Every need counted, no room left out: more work than any request can cause.
	b.Run("bound", func(b *testing.B) {
		b.ReportAllocs()
		p := partyOf(20, 10, 1)
		var stock []stocked
		for _, room := range adverse(90, 3, 300, 6) {
			s, err := p.stock([]roomType{room})
			require.NoError(b, err)
			stock = append(stock, s...)
		}
		for b.Loop() {
			choose(stock, p.needs().withRooms(p.Adults), p.rooms)
		}
	})
}
