package marketplace

import (
	"slices"

	"github.com/dynastay/dynastay/internal/testing/checker"
)

// flow is what a call adds to the stock of a product, or takes from it, and within which time.
type flow struct {
	checker.Span
	*deal
	by      int
	certain bool
}

// flows are what was taken out of the stock of each product and put back.
func (s *deals) flows(lives map[string]*dealLife) map[string][]flow {
	all := map[string][]flow{}
	for _, l := range lives {
		for id, n := range l.placed.quantities {
			at := l.placed.seller + "/" + id
			all[at] = append(all[at], flow{l.placed.Within, l.placed, -n, true})
			if c := l.moved[revoking]; c != nil {
				all[at] = append(all[at], flow{c.Within, c, n, true})
			}
		}
	}
	for _, c := range s.all {
		for id, n := range c.quantities {
			if c.kind == restocking && c.Could() {
				all[c.seller+"/"+id] = append(all[c.seller+"/"+id], flow{c.Within, c, n, c.Done()})
			}
		}
	}
	return all
}

// checkStock adds up a stock: what was supplied is there or is ordered.
func (s *deals) checkStock(at string, stock int, flows []flow) {
	least, most := inStock, inStock
	for _, f := range flows {
		if f.certain || f.by < 0 {
			least += f.by
		}
		if f.certain || f.by > 0 {
			most += f.by
		}
	}
	if stock < max(0, least) || stock > most {
		s.Differ("a stock that does not add up", at, "%d, where it must be from %d to %d", stock, least, most)
	}
}

// range of a stock at a moment: what it can have been at least and at most, whatever one of the calls did.
func stockAt(flows []flow, at checker.Moment, but *deal) (least, most int) {
	least, most = inStock, inStock
	for _, f := range flows {
		may, must := f.deal != but && f.From <= at, f.deal != but && f.certain && f.To < at
		if must || may && f.by < 0 {
			least += f.by
		}
		if must || may && f.by > 0 {
			most += f.by
		}
	}
	return least, most
}

// stocked reports whether so much can have been left at some moment of a time.
func stocked(flows []flow, at checker.Span, but *deal, left int) bool {
	moments := []checker.Moment{at.From, at.To}
	for _, f := range flows {
		for _, m := range []checker.Moment{f.From, f.To} {
			if at.From < m && m < at.To {
				moments = append(moments, m)
			}
		}
	}
	return slices.ContainsFunc(moments, func(m checker.Moment) bool {
		least, most := stockAt(flows, m, but)
		return least <= left && left <= most
	})
}
