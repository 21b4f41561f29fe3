package checker

import (
	"errors"
	"slices"
)

func (o *orders) check() {
	orders := stored(o.checker, orderEntity)
	for id, v := range orders {
		o.checkOrder(id, v)
	}
	for mark, d := range o.deeds {
		o.checkDeed(mark, d, orders)
	}
	lives := o.lives(orders)
	for _, p := range o.scan(goodsTable) {
		id, left, held := p["id"].(string), int(p["left"].(float64)), 0
		for _, v := range orders {
			if v.CancelledBy == "" && slices.Contains(v.Goods, id) {
				held++
			}
		}
		if left < 0 || left+held != pieces {
			o.differ("goods do not add up", id, "%d left and %d ordered of %d", left, held, pieces)
		}
	}
	for _, d := range o.deeds {
		for _, r := range d.refusals {
			o.checkRefusal(d, r, orders, lives)
		}
	}
}

func (o *orders) checkOrder(id string, v *order) {
	d := o.deeds[v.By]
	if d == nil || d.verdict() == refused {
		o.differ("an order that was not to be made", id, "%v", *v)
		return
	}
	goods, mine := d.goods[id]
	of := goods
	if goods == nil {
		of = d.possible
	}
	if !mine || len(v.Goods) == 0 || goods != nil && len(v.Goods) != len(goods) ||
		slices.ContainsFunc(v.Goods, func(id string) bool { return !slices.Contains(of, id) }) {
		o.differ("an order of other goods", v.By, "%v", *v)
	}
	if c := o.deeds[v.CancelledBy]; v.CancelledBy != "" && (c == nil || c.cancels != id || c.verdict() == refused) {
		o.differ("a cancellation that was not to be made", id, "%v", *v)
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
		o.differ("half of a write", d.items, "%s: %d of %d", d.about, left, all)
	case left == 0 && d.done():
		o.differ("an order or a cancellation is lost", d.items, "%s", d.about)
	}
}

// lives are the times at which there may have been an order of the goods.
func (o *orders) lives(orders map[string]*order) map[string][]span {
	all := map[string][]span{}
	for _, v := range orders {
		d, c := o.deeds[v.By], o.deeds[v.CancelledBy]
		if d == nil {
			continue
		}
		life := since(d.within.from)
		if c != nil {
			life.to = c.within.to
		}
		for _, id := range v.Goods {
			all[id] = append(all[id], life)
		}
	}
	return all
}

// checkRefusal asks for a moment of the call at which all pieces can have been ordered, or the order cancelled.
func (o *orders) checkRefusal(d *purchase, r told, orders map[string]*order, lives map[string][]span) {
	var none *soldError
	if !errors.As(r.err, &none) {
		if c := o.deeds[orders[d.cancels].CancelledBy]; c == nil || c.within.from > r.to {
			o.differ("an order that was not cancelled", d.items, "%s: %v", d.about, r.err)
		}
		return
	}
	for _, id := range none.goods {
		most := held(lives[id], r.from)
		for _, life := range lives[id] {
			if r.from <= life.from && life.from <= r.to {
				most = max(most, held(lives[id], life.from))
			}
		}
		if most < pieces {
			o.differ("goods that were not sold", d.items+" "+id, "%s: %v, and %d of %d were", d.about, r.err, most, pieces)
		}
	}
}

// held are the lives at a moment.
func held(lives []span, at moment) (n int) {
	for _, life := range lives {
		if life.meets(between(at, at)) {
			n++
		}
	}
	return n
}
