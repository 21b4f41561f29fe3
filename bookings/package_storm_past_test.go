package bookings_test

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// past is what may have been stored at each moment of a history. It is less strict than [nightModel], which finds one
// order of all calls, but it follows stays of several nights.
type past struct {
	*history
	values  map[dynastay.Date]*[valueKinds][]period
	moments []int64 // at which anything may have changed
}

// period is the time during which a value may have been stored.
type period struct {
	value any
	span
}

// valueKind is one of the values that an update sets.
type valueKind int

const (
	ofPrice valueKind = iota
	ofTotal
	ofMinStay
	ofMaxStay
	ofArrival
	ofDeparture
	ofStopSell
	valueKinds
)

// valuesOf returns the values that a change sets, nil for the others.
func valuesOf(c availability.Change) (all [valueKinds]any) {
	if c.Price.IsSet() {
		all[ofPrice] = c.Price
	}
	setValue(&all[ofTotal], c.Rooms)
	setValue(&all[ofMinStay], c.MinStay)
	setValue(&all[ofMaxStay], c.MaxStay)
	setValue(&all[ofArrival], c.ClosedToArrival)
	setValue(&all[ofDeparture], c.ClosedToDeparture)
	setValue(&all[ofStopSell], c.StopSell)
	return all
}

func setValue[T any](at *any, value *T) {
	if value != nil {
		*at = *value
	}
}

// changeTo returns the change that sets all values of a night.
func changeTo(n availability.Night) availability.Change {
	return availability.Change{
		Price: n.Price, Rooms: &n.Total, MinStay: &n.MinStay, MaxStay: &n.MaxStay, ClosedToArrival: &n.ClosedToArrival,
		ClosedToDeparture: &n.ClosedToDeparture, StopSell: &n.StopSell,
	}
}

// newPast returns the past of nights that were opened before the history began. A value may be stored from the call
// that wrote it until the return of any later call that wrote another one.
func newPast(h *history, opened nights) *past {
	p := &past{history: h, values: map[dynastay.Date]*[valueKinds][]period{}}
	for date, n := range opened {
		var all [valueKinds][]period
		for kind, value := range valuesOf(changeTo(n)) {
			all[kind] = append(all[kind], period{value, span{0, 0}})
		}
		for _, e := range h.edits {
			result := e.reports[date].Result
			if result != availability.Written && result != availability.Unknown {
				continue
			}
			at := e.span
			if result == availability.Unknown {
				at.ret = never
			}
			for kind, value := range valuesOf(e.set) {
				if value != nil {
					all[kind] = append(all[kind], period{value, at})
				}
			}
		}
		for kind, written := range all {
			ended := slices.Clone(written)
			for i, w := range written {
				ended[i].ret = never
				for _, later := range written {
					if later.call > w.ret {
						ended[i].ret = min(ended[i].ret, later.ret)
					}
				}
				p.moments = append(p.moments, w.call, ended[i].ret)
			}
			all[kind] = ended
		}
		p.values[date] = &all
	}
	for _, a := range h.attempts {
		p.moments = append(p.moments, a.call, a.ret)
		if a.cancelled != nil {
			p.moments = append(p.moments, a.cancelled.call, a.cancelled.ret)
		}
	}
	slices.Sort(p.moments)
	return p
}

// once reports whether something may have been true at a moment of a call. Between two moments nothing changes, and
// what may be true between them may be true at both.
func (p *past) once(during span, may func(at int64) bool) bool {
	i, _ := slices.BinarySearch(p.moments, during.call)
	for ; i < len(p.moments) && p.moments[i] <= during.ret; i++ {
		if may(p.moments[i]) {
			return true
		}
	}
	return may(during.call)
}

// may reports whether a value of a kind that meets the condition may have been stored.
func may[T any](p *past, date dynastay.Date, kind valueKind, at int64, meets func(T) bool) bool {
	return slices.ContainsFunc(p.values[date][kind], func(v period) bool {
		return v.call <= at && at <= v.ret && meets(v.value.(T))
	})
}

func is[T comparable](want T) func(T) bool { return func(v T) bool { return v == want } }

// sold returns the least and the largest number of rooms that may have been sold.
func (p *past) sold(date dynastay.Date, at int64) (least, most int) {
	for _, a := range p.attempts {
		if a.outcome != sale || !a.stay.Contains(date) {
			continue
		}
		if a.ret < at && (a.cancelled == nil || at < a.cancelled.call) {
			least += a.rooms
		}
		if a.call <= at && (a.cancelled == nil || at <= a.cancelled.ret) {
			most += a.rooms
		}
	}
	return least, most
}

// allows reports whether a stay may have been sold, or each night refused, as the caller was told.
func (p *past) allows(a *attempt) bool {
	reasons := map[dynastay.Date]map[availability.Reason]availability.RefusedNight{}
	for _, r := range a.refused {
		if reasons[r.Date] == nil {
			reasons[r.Date] = map[availability.Reason]availability.RefusedNight{}
		}
		reasons[r.Date][r.Reason] = r
	}
	switch a.outcome {
	case sale:
		return p.once(a.span, func(at int64) bool {
			for i := range a.prices {
				if !p.allowsNight(a, i, nil, at) {
					return false
				}
			}
			return true
		})
	case refusal:
		told := 0
		for i, night := range a.prices {
			if of := reasons[night.Date]; of != nil {
				told += len(of)
				if !p.once(a.span, func(at int64) bool { return p.allowsNight(a, i, of, at) }) {
					return false
				}
			}
		}
		return told > 0 && told == len(a.refused)
	}
	return true
}

// allowsNight reports whether exactly these reasons against the sale of one night may have held.
func (p *past) allowsNight(a *attempt, i int, reasons map[availability.Reason]availability.RefusedNight, at int64) bool {
	date, length := a.prices[i].Date, a.stay.Nights()
	first, last := i == 0, i == len(a.prices)-1
	has := func(reason availability.Reason) bool { _, ok := reasons[reason]; return ok }
	limit := func(reason availability.Reason, kind valueKind, against func(limit int) bool) bool {
		if !first {
			return !has(reason)
		}
		return may(p, date, kind, at, func(n int) bool {
			return against(n) == has(reason) && (!has(reason) || n == reasons[reason].Nights)
		})
	}
	flag := func(applies bool, reason availability.Reason, kind valueKind) bool {
		if !applies {
			return !has(reason)
		}
		return may(p, date, kind, at, is(has(reason)))
	}
	least, most := p.sold(date, at)
	enough := may(p, date, ofTotal, at, func(total int) bool {
		if !has(availability.SoldOut) {
			return total-least >= a.rooms
		}
		left := reasons[availability.SoldOut].Left
		if left == 0 {
			return total-most <= 0
		}
		return left < a.rooms && total-most <= left && left <= total-least
	})
	return enough &&
		may(p, date, ofPrice, at, func(price dynastay.Money) bool {
			if has(availability.PriceChanged) {
				return price != a.prices[i].Price && price == reasons[availability.PriceChanged].Price
			}
			return price == a.prices[i].Price
		}) &&
		flag(true, availability.StopSell, ofStopSell) &&
		flag(first, availability.ClosedToArrival, ofArrival) &&
		flag(last, availability.ClosedToDeparture, ofDeparture) &&
		limit(availability.MinStay, ofMinStay, func(n int) bool { return length < n }) &&
		limit(availability.MaxStay, ofMaxStay, func(n int) bool { return n > 0 && length > n })
}

// allowsRead reports whether a night may have had all these values.
func (p *past) allowsRead(during span, n availability.Night) bool {
	return p.once(during, func(at int64) bool { return p.allowsValues(changeTo(n), n.Date, n.Total-n.Available, at) })
}

// allowsValues reports whether a night may have had the values that a change sets, with so many rooms sold.
func (p *past) allowsValues(c availability.Change, date dynastay.Date, sold int, at int64) bool {
	least, most := p.sold(date, at)
	if sold < least || sold > most {
		return false
	}
	for kind, want := range valuesOf(c) {
		if want != nil && !may(p, date, valueKind(kind), at, is(want)) {
			return false
		}
	}
	return true
}

// allowsReport reports whether what an update reported about a night may have been true. That what it wrote was stored
// follows from the sales and reads at its prices.
func (p *past) allowsReport(e *edit, date dynastay.Date) bool {
	report := e.reports[date]
	var refused *availability.SoldError
	return p.once(e.span, func(at int64) bool {
		least, most := p.sold(date, at)
		overbooked := func(set availability.Change) bool {
			for sold := least; sold <= most; sold++ {
				exact := set.Rooms == nil || report.Overbooked == max(0, sold-*set.Rooms)
				if exact && (report.Result == availability.Written || p.allowsValues(set, date, sold, at)) {
					return true
				}
			}
			return false
		}
		switch {
		case report.Result == availability.Written, report.Result == availability.Unchanged:
			return overbooked(e.set)
		case errors.As(report.Err, &refused):
			return least <= refused.Sold && refused.Sold <= most && refused.Rooms == *e.set.Rooms &&
				refused.Sold-refused.Rooms > e.set.Overbook && may(p, date, ofTotal, at, func(total int) bool { return total > refused.Rooms })
		case errors.As(report.Err, new(*availability.LimitsError)):
			minStay, maxStay := e.set.MinStay, e.set.MaxStay
			return may(p, date, ofMinStay, at, func(n int) bool {
				if minStay != nil {
					n = *minStay
				}
				return may(p, date, ofMaxStay, at, func(most int) bool {
					if maxStay != nil {
						most = *maxStay
					}
					return most > 0 && most < n
				})
			})
		}
		return true
	})
}
