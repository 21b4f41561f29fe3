package writes

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay/internal/testing/checker"
)

func (o *orders) Check() {
	orders := checker.Stored(o.Run, orderEntity)
	for id, v := range orders {
		o.checkOrder(id, v)
	}
	for mark, d := range o.deeds {
		o.checkDeed(mark, d, orders)
	}
	lives := o.lives(orders)
	for _, p := range o.Scan(goodsTable) {
		id, left, held := p["id"].(string), int(p["left"].(float64)), 0
		for _, v := range orders {
			if v.CancelledBy == "" && slices.Contains(v.Goods, id) {
				held++
			}
		}
		if left < 0 || left+held != pieces {
			o.Differ("goods do not add up", id, "%d left and %d ordered of %d", left, held, pieces)
		}
	}
	for _, d := range o.deeds {
		for _, r := range d.Refusals {
			o.checkRefusal(d, r, orders, lives)
		}
	}
}

func (o *orders) checkOrder(id string, v *order) {
	d := o.deeds[v.By]
	if d == nil || d.Verdict() == checker.Refused {
		o.Differ("an order that was not to be made", id, "%v", *v)
		return
	}
	goods, mine := d.goods[id]
	of := goods
	if goods == nil {
		of = d.possible
	}
	if !mine || len(v.Goods) == 0 || goods != nil && len(v.Goods) != len(goods) ||
		slices.ContainsFunc(v.Goods, func(id string) bool { return !slices.Contains(of, id) }) {
		o.Differ("an order of other goods", v.By, "%v", *v)
	}
	if c := o.deeds[v.CancelledBy]; v.CancelledBy != "" && (c == nil || c.cancels != id || c.Verdict() == checker.Refused) {
		o.Differ("a cancellation that was not to be made", id, "%v", *v)
	}
}

// checkDeed looks for all that a write was to leave, or for none of it.
func (o *orders) checkDeed(mark string, d *purchase, orders map[string]*order) {
	left, all := 0, len(d.goods)
	for id := range d.goods {
		if orders[id] != nil {
			left++
		}
	}
	if d.cancels != "" {
		all++
		if v := orders[d.cancels]; v != nil && v.CancelledBy == mark {
			left++
		}
	}
	switch {
	case left != 0 && left != all:
		o.Differ("half of a write", d.Items, "%s: %d of %d", d.About, left, all)
	case left == 0 && d.Done():
		o.Differ("an order or a cancellation is lost", d.Items, "%s", d.About)
	}
}

// lives are the times at which there may have been an order of the goods.
func (o *orders) lives(orders map[string]*order) map[string][]checker.Span {
	all := map[string][]checker.Span{}
	for _, v := range orders {
		d, c := o.deeds[v.By], o.deeds[v.CancelledBy]
		if d == nil {
			continue
		}
		life := checker.Since(d.Within.From)
		if c != nil {
			life.To = c.Within.To
		}
		for _, id := range v.Goods {
			all[id] = append(all[id], life)
		}
	}
	return all
}

// checkRefusal asks for a moment of the call at which all pieces can have been ordered, or the order cancelled.
func (o *orders) checkRefusal(d *purchase, r checker.Told, orders map[string]*order, lives map[string][]checker.Span) {
	var none *soldError
	if !errors.As(r.Err, &none) {
		if c := o.deeds[orders[d.cancels].CancelledBy]; c == nil || c.Within.From > r.To {
			o.Differ("an order that was not cancelled", d.Items, "%s: %v", d.About, r.Err)
		}
		return
	}
	for _, id := range none.goods {
		most := held(lives[id], r.From)
		for _, life := range lives[id] {
			if r.From <= life.From && life.From <= r.To {
				most = max(most, held(lives[id], life.From))
			}
		}
		if most < pieces {
			o.Differ("goods that were not sold", d.Items+" "+id, "%s: %v, and %d of %d were", d.About, r.Err, most, pieces)
		}
	}
}

// held are the lives at a moment.
func held(lives []checker.Span, at checker.Moment) (n int) {
	for _, life := range lives {
		if life.Meets(checker.Between(at, at)) {
			n++
		}
	}
	return n
}
