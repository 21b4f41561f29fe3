package property

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/properties"
)

// propertyParts are the room types, images and amenities that calls add to the properties, and take away again. Their
// ids are never used twice.
type propertyParts struct {
	mu    sync.Mutex
	all   map[string]*part
	there map[string][]*part // by property: those that were acknowledged, until they are to be taken away
}

// part is one of them, and what was answered about it.
type part struct {
	*partKind
	id, property string
	added        checker.Verdict
	removals     atomic.Int64 // that have begun
	mu           sync.Mutex
	removed      checker.Tally
	changed      checker.Tally
}

func (p *part) told(of *checker.Tally, v checker.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of[v]++
}

func (p *part) mayBeThere() bool {
	return p.added != checker.Refused && p.removed[checker.Acknowledged] == 0
}

func (p *part) mayBeGone() bool {
	return p.added != checker.Acknowledged || p.removed[checker.Acknowledged] > 0 || p.removed[checker.Unknown] > 0
}

// partKind is a kind of part, and how it is written.
type partKind struct {
	name, prefix string // of the sort key
	marked       string // the attribute that a change leaves its mark in
	add          func(ctx context.Context, p *checker.Process, property, id string) error
	change       func(ctx context.Context, p *checker.Process, property, id, mark string) error // nil if there is none
	touch        func(ctx context.Context, p *checker.Process, property, id string) error       // a change of order; nil if there is none
	remove       func(ctx context.Context, p *checker.Process, property, id string) error
}

var partKinds = []*partKind{{
	name: "room type", prefix: "ROOM#", marked: "Description",
	add: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.ErrorOf(editorOf(p).properties.AddRoomTypes(ctx, property, []properties.RoomType{{
			ID: id, Name: id, Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: priceOf(id), Total: 1,
		}}))
	},
	change: func(ctx context.Context, p *checker.Process, property, id, mark string) error {
		return checker.ErrorOf(editorOf(p).properties.UpdateRoomType(ctx, property, id, func(r *properties.RoomType) error {
			r.Description, r.BasePrice = mark, priceOf(mark)
			return nil
		}))
	},
	remove: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.UnknownOnly(editorOf(p).properties.DeleteRoomType(ctx, property, id))
	},
}, {
	name: "image", prefix: "IMAGE#", marked: "Url",
	add: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.ErrorOf(editorOf(p).properties.AddImages(ctx, property, []properties.Image{{ID: id, URL: "first " + id, Primary: len(id)%2 == 0}}))
	},
	change: func(ctx context.Context, p *checker.Process, property, id, mark string) error {
		return checker.ErrorOf(editorOf(p).properties.UpdateImage(ctx, property, id, func(i *properties.Image) error {
			i.URL = mark
			return nil
		}))
	},
	touch: func(ctx context.Context, p *checker.Process, property, id string) error {
		if len(id)%2 == 0 {
			return checker.ErrorOf(editorOf(p).properties.ArrangeImages(ctx, property, []string{id}))
		}
		return checker.ErrorOf(editorOf(p).properties.SetPrimaryImage(ctx, property, id))
	},
	remove: func(ctx context.Context, p *checker.Process, property, id string) error {
		return editorOf(p).properties.DeleteImage(ctx, property, id)
	},
}, {
	name: "amenity", prefix: "AMENITY#",
	add: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.ErrorOf(editorOf(p).properties.AddAmenities(ctx, property, []string{id}))
	},
	remove: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.ErrorOf(editorOf(p).properties.RemoveAmenities(ctx, property, []string{id}))
	},
}, {
	name: "rate plan", prefix: "PLAN#", marked: "Name",
	add: func(ctx context.Context, p *checker.Process, property, id string) error {
		return checker.ErrorOf(editorOf(p).properties.CreateRatePlan(ctx, availability.RatePlan{PropertyID: property, ID: id, Name: "first", Active: true, Advertised: advertised(id)}))
	},
	change: func(ctx context.Context, p *checker.Process, property, id, mark string) error {
		return changePlan(ctx, p, property, id, func(plan *availability.RatePlan) { plan.Name, plan.Advertised = mark, advertised(mark) })
	},
	// A plan is never deleted. One that is archived counts as gone.
	remove: func(ctx context.Context, p *checker.Process, property, id string) error {
		return changePlan(ctx, p, property, id, func(plan *availability.RatePlan) { plan.Active = false })
	},
}}

func changePlan(ctx context.Context, p *checker.Process, property, id string, change func(*availability.RatePlan)) error {
	return checker.ErrorOf(editorOf(p).properties.UpdateRatePlan(ctx, property, id, func(plan *availability.RatePlan) error {
		if !plan.Active {
			return dynastay.ErrNotFound
		}
		change(plan)
		return nil
	}))
}

// advertised is drawn with the mark.
func advertised(mark string) bool {
	cents, _ := priceOf(mark).Minor()
	return cents%3 > 0
}

// tooMany refuses a plan that would be one more than a property may advertise.
func tooMany(err error) bool {
	var invalid *dynastay.InvalidError
	return errors.As(err, &invalid) && invalid.Field == "Advertised"
}

// priceOf returns a price that depends on a text.
func priceOf(text string) dynastay.Money {
	cents := int64(0)
	for _, r := range text {
		cents = (cents*31 + int64(r)) % 100_000
	}
	price, _ := dynastay.MoneyOfMinor(1+cents, "USD")
	return price
}

const mostParts = 6 // of a property, roughly

// part adds, changes or removes a part of a property.
func (l *listings) part(w *checker.Worker) {
	property := l.pick(w)
	l.parts.mu.Lock()
	there := l.parts.there[property]
	if len(there) == 0 || len(there) < mostParts && w.OneIn(3) {
		l.parts.mu.Unlock()
		l.addPart(w, property)
		return
	}
	at := w.Rand.IntN(len(there))
	p := there[at]
	remove := len(there) >= mostParts || w.OneIn(4)
	if remove && !w.OneIn(3) { // otherwise others try it too
		l.parts.there[property] = append(append([]*part{}, there[:at]...), there[at+1:]...)
	}
	l.parts.mu.Unlock()
	switch {
	case remove || p.change == nil:
		l.removePart(w, p)
	case p.touch != nil && w.OneIn(2):
		w.Call("touch "+p.name, property, p.id, p.gone(0), func(ctx context.Context) error {
			return p.touch(ctx, w.Process, p.property, p.id)
		})
	default:
		l.changePart(w, p)
	}
}

// gone refuses what is done to a part that more than so many calls take away.
func (p *part) gone(but int64) checker.Refusal {
	return func(err error) bool { return errors.Is(err, dynastay.ErrNotFound) && p.removals.Load() > but }
}

func (l *listings) addPart(w *checker.Worker, property string) {
	p := &part{partKind: partKinds[w.Rand.IntN(len(partKinds))], id: w.Mark(), property: property, added: checker.Unknown}
	l.parts.mu.Lock()
	l.parts.all[p.id] = p
	l.parts.mu.Unlock()
	v := w.Call("add "+p.name, property, p.id, tooMany, func(ctx context.Context) error {
		return p.add(ctx, w.Process, property, p.id)
	})
	l.parts.mu.Lock()
	defer l.parts.mu.Unlock()
	if p.added = v; v == checker.Acknowledged {
		l.parts.there[property] = append(l.parts.there[property], p)
	}
}

func (l *listings) changePart(w *checker.Worker, p *part) {
	mark := w.Mark()
	v := w.Call("change "+p.name, p.property, p.id+" "+mark, p.gone(0).Or(tooMany), func(ctx context.Context) error {
		return p.change(ctx, w.Process, p.property, p.id, mark)
	})
	p.told(&p.changed, v)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edits[mark] = &edit{p.id, v}
}

func (l *listings) removePart(w *checker.Worker, p *part) {
	p.removals.Add(1)
	// While a room type is being deleted, an approval of its property can put it back on sale.
	v := w.Call("remove "+p.name, p.property, p.id, p.gone(1).Or(checker.RefusedBy(availability.ErrReopened)), func(ctx context.Context) error {
		return p.remove(ctx, w.Process, p.property, p.id)
	})
	p.told(&p.removed, v)
}

// checkParts compares what was answered about each part with what is stored.
func (l *listings) checkParts(all map[string]*listing) {
	for id, p := range l.parts.all {
		if all[p.property] == nil {
			continue // which is told of the property
		}
		item := all[p.property].items[p.prefix+id]
		switch {
		case item == nil && !p.mayBeGone():
			l.Differ("a part is lost", p.property, "%s %s", p.name, id)
		case item != nil && !p.mayBeThere():
			l.Differ("a part that was refused, or taken away", p.property, "%s %s", p.name, id)
		case p.removed[checker.Acknowledged] > 1 && p.change != nil:
			l.Differ("a part taken away twice", p.property, "%s %s", p.name, id)
		}
		if item != nil && p.change != nil {
			l.checkChanges(p, item)
		}
	}
	for property, stored := range all {
		for sk, item := range stored.items {
			l.checkKnown(property, sk, item)
		}
	}
}

func (l *listings) checkChanges(p *part, item plain) {
	version := int(item["Version"].(float64))
	if least, most := 1+p.changed[checker.Acknowledged], 1+p.changed[checker.Acknowledged]+p.changed[checker.Unknown]; version < least || version > most {
		l.Differ("changes do not add up", p.property, "%s %s has version %d where %d to %d changes were made", p.name, p.id, version, least-1, most-1)
	}
	mark, _ := item[p.marked].(string)
	if e := l.edits[mark]; version > 1 && (e == nil || e.id != p.id || e.verdict == checker.Refused) {
		l.Differ("a change that was not to be made", p.property, "%s %s: %q", p.name, p.id, mark)
	}
}

// checkKnown reports an image that nobody added. The other parts can also be of those that a property is made with.
func (l *listings) checkKnown(property, sk string, item plain) {
	id, _ := item["ImageId"].(string)
	if p := l.parts.all[id]; id != "" && (p == nil || p.property != property || p.prefix+id != sk) {
		l.Differ("a part that nobody added", property, "%v", item)
	}
}
