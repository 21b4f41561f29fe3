// Package property runs and checks the writes of properties: what they are, their parts, statuses and nights, and reviews.
package property

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// plain is a stored item without the library.
type plain = map[string]any

// listings are properties that several editors change, make, and open the nights of. Each update leaves a mark in the
// description, so that every one of them changes something. For their parts, ratings and statuses, see parts.go
// and statuses.go.
type listings struct {
	*checker.Run
	hotel    *properties.WithRooms // of the sales, of which only the nights of the third room type are changed here
	parts    propertyParts
	ratings  ratings
	statuses statuses

	mu      sync.Mutex
	ids     []string
	updates map[string]*checker.Tally // by property
	edits   map[string]*edit
	made    map[string]checker.Verdict // by the mark of the maker
	opened  map[string]string          // night to the price of the one who was told to have opened it
	prices  map[string]checker.Verdict
}

type edit struct {
	id      string
	verdict checker.Verdict
}

const (
	slugs     = 9
	contested = 3 // properties, of which most calls change one
)

// Join adds the changes of properties and the reviews to a run. Some are about the house of the sales.
func Join(c *checker.Run, hotel *properties.WithRooms) {
	c.Add(newListings(c, hotel), 16)
	c.Add(newOpinions(c, hotel.ID), 22)
}

// editor is what a process has of the properties.
type editor struct {
	properties *properties.Repository
	nights     *availability.Repository
	reviews    *reviews.Repository
}

var editorOf = checker.Each(func(p *checker.Process) *editor {
	all := properties.New(p.DB, nil)
	return &editor{all, availability.New(p.DB), reviews.New(p.DB, all, &reviews.Options{PendingShards: p.Shards})}
})

func newListings(c *checker.Run, hotel *properties.WithRooms) *listings {
	l := &listings{
		Run: c, hotel: hotel, updates: map[string]*checker.Tally{}, edits: map[string]*edit{}, made: map[string]checker.Verdict{},
		opened: map[string]string{}, prices: map[string]checker.Verdict{},
		parts:    propertyParts{all: map[string]*part{}, there: map[string][]*part{}},
		ratings:  ratings{of: map[string][]*rating{}},
		statuses: statuses{moves: map[string][]*statusMove{}, nights: map[string]int{}},
	}
	for n := range contested {
		made, err := properties.New(c.Base.Direct, nil).Create(c.T.Context(), l.property(fmt.Sprint("slug-", n), "first"), l.rooms())
		if err != nil {
			c.T.Fatal(err)
		}
		l.add(made.ID)
		l.openSome(made)
	}
	return l
}

func (l *listings) add(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, id)
	l.updates[id] = &checker.Tally{}
}

func (l *listings) property(slug, mark string) properties.Property {
	return properties.Property{
		Name: "House of " + mark, Description: mark, Slug: slug, Type: properties.Apartment, Stars: 3, OwnerID: "user_host",
		Status: properties.Pending, AmenityIDs: []string{"pool", "wifi"},
		Address: properties.Address{City: "Boston", Country: "USA", Latitude: 42.36, Longitude: -71.06},
	}
}

func (l *listings) rooms() []properties.RoomType {
	return []properties.RoomType{
		{Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 3},
		{Name: "Single", Limits: availability.Limits{MaxOccupancy: 1, MaxAdults: 1}, BasePrice: dynastay.MustMoney("99.50", "USD"), Total: 2},
	}
}

func (l *listings) Step(w *checker.Worker) {
	switch w.Rand.IntN(24) {
	case 0:
		l.create(w)
	case 1:
		l.open(w)
	case 2, 3, 4:
		l.rate(w)
	case 5, 6, 7:
		l.move(w)
	case 8, 9, 10, 11, 12, 13, 14, 15:
		l.part(w)
	default:
		l.update(w)
	}
}

func (l *listings) slug(w *checker.Worker) string { return fmt.Sprint("slug-", w.Rand.IntN(slugs)) }

func (l *listings) create(w *checker.Worker) {
	mark, slug := w.Mark(), l.slug(w)
	var made *properties.WithRooms
	v := w.Call("list", slug, mark, checker.Taken("Slug"), func(ctx context.Context) (err error) {
		made, err = editorOf(w).properties.Create(ctx, l.property(slug, mark), l.rooms())
		return err
	})
	l.mu.Lock()
	l.made[mark] = v
	l.mu.Unlock()
	if v == checker.Acknowledged && made != nil {
		l.add(made.ID)
	}
}

// pick returns a property, mostly one of those that others change too.
func (l *listings) pick(w *checker.Worker) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.OneIn(3) {
		return l.ids[w.Rand.IntN(len(l.ids))]
	}
	return l.ids[w.Rand.IntN(contested)]
}

func (l *listings) update(w *checker.Worker) {
	id := l.pick(w)
	mark, what, slug := w.Mark(), w.Rand.IntN(100), l.slug(w)
	change := func(p *properties.Property) error {
		p.Description = mark
		switch {
		case what < 25:
			p.Name = "House of " + mark
		case what < 55:
			p.Slug = slug
		case what < 75:
			p.Address.City = []string{"Boston", "Berlin", "Bergen"}[what%3]
		}
		return nil
	}
	var opts []dynastay.UpdateOption
	if w.OneIn(5) {
		if there, err := properties.New(l.Base.Direct, nil).Get(w.T.Context(), id); err == nil {
			opts = append(opts, dynastay.IfVersion(there.Version))
		}
	}
	mayRefuse := checker.Taken("Slug").Or(checker.RefusedBy(dynastay.ErrVersion))
	v := w.Call("update", id, fmt.Sprintf("%s %d %s", mark, what, slug), mayRefuse, func(ctx context.Context) error {
		return checker.ErrorOf(editorOf(w).properties.Update(ctx, id, change, opts...))
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.updates[id][v]++
	l.edits[mark] = &edit{id, v}
}

// open puts nights of the house's third room type on sale, at a price of the caller's own.
func (l *listings) open(w *checker.Worker) {
	first := dynastay.MustDate("2026-09-01").AddDays(w.Rand.IntN(60 + int(w.Called()/100)))
	l.mu.Lock()
	price := dynastay.MustMoney(fmt.Sprintf("%d.%02d", 1+len(l.prices)/100, len(l.prices)%100), "USD")
	l.prices[price.Amount()] = checker.Unknown
	l.mu.Unlock()
	var got availability.Opened
	v := w.Call("open", "nights", "at "+price.Amount(), checker.Never, func(ctx context.Context) (err error) {
		got, err = editorOf(w).nights.Open(ctx, availability.OpenRequest{
			PropertyID: l.hotel.ID, RoomTypeID: l.hotel.Rooms[2].ID, Rooms: 1 + w.Rand.IntN(5), Price: price,
			Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1 + w.Rand.IntN(9))},
		})
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prices[price.Amount()] = v
	for _, date := range got.Opened {
		if other, twice := l.opened[date.String()]; twice {
			l.Differ("a night that two have opened", "nights", "%s by %s and %s", date, price.Amount(), other)
		}
		l.opened[date.String()] = price.Amount()
	}
}

func (l *listings) Settle(w *checker.Worker) {
	l.checkGuards() // first: to finish with the nights would repair them
	l.ratings.Settle(w)
	l.finishMoves(w)
}

func (l *listings) Check() {
	all := map[string]*listing{}
	of := func(id string) *listing {
		if all[id] == nil {
			all[id] = &listing{items: map[string]plain{}}
		}
		return all[id]
	}
	guards := map[string]string{}
	for _, p := range l.Scan(keys.PropertiesTable) {
		pk, sk := p["PK"].(string), p["SK"].(string)
		if id, ok := strings.CutPrefix(pk, "PROPERTY#"); ok {
			of(id).items[sk] = p
		} else if id, ok := strings.CutPrefix(pk, "RATES#"); ok {
			if p["IsActive"] == true {
				of(id).items[sk] = p
			}
		} else if sk == "GUARD" {
			guards[pk] = p["PropertyId"].(string)
		} else {
			l.Differ("an item of no kind", pk, "%v", p)
		}
	}
	for id, p := range all {
		if p.items["METADATA"] == nil {
			l.Differ("parts without a property", id, "%v", p.items)
			continue
		}
		for _, guard := range p.guards() {
			if guards[guard] != id {
				l.Differ("a guard that is missing or another's", id, "%s is of %q", guard, guards[guard])
			}
			delete(guards, guard)
		}
		if wrong := p.derived(id); wrong != "" {
			l.Differ("what is derived is stale", id, "%s", wrong)
		}
		l.checkUpdates(id, p.items["METADATA"])
		l.checkRatings(id, p.items["METADATA"])
		l.checkStatus(id, p.items["METADATA"])
	}
	l.checkParts(all)
	for guard, id := range guards {
		// The id of a room type that was deleted is never given to another one.
		if room := l.parts.all[strings.TrimPrefix(guard, "ROOM#")]; room == nil || room.property != id || !room.mayBeGone() {
			l.Differ("a guard of nothing", id, "%s", guard)
		}
	}
	for _, id := range l.ids {
		if all[id] == nil {
			l.Differ("a property is lost", id, "")
		}
	}
	l.checkNights()
}

func (l *listings) checkUpdates(id string, p plain) {
	if id == l.hotel.ID {
		return
	}
	mark := p["Description"].(string)
	if e := l.edits[mark]; e != nil && (e.id != id || e.verdict == checker.Refused) {
		l.Differ("an update that was not to be made", id, "%s", mark)
	} else if v, made := l.made[mark]; e == nil && mark != "first" && (!made || v == checker.Refused) {
		l.Differ("a property that was not to be made", id, "%s", mark)
	}
	told := l.updates[id]
	if told == nil {
		return // nobody was told of it
	}
	version := int(p["Version"].(float64))
	if least, most := 1+told[checker.Acknowledged], 1+told[checker.Acknowledged]+told[checker.Unknown]; version < least || version > most {
		l.Differ("updates do not add up", id, "version %d where %d to %d updates were made", version, least-1, most-1)
	}
}

func (l *listings) checkNights() {
	for _, p := range l.Scan(keys.AvailabilityTable) {
		l.checkClosed(p)
		if p["RoomTypeId"] != l.hotel.Rooms[2].ID {
			continue
		}
		date := p["Date"].(string)
		price := dynastay.MustMoney(fmt.Sprint(p["PricePerNight"]), "USD").Amount()
		if told, there := l.opened[date]; there && told != price {
			l.Differ("a night that was opened anew", "nights", "%s at %s where %s was acknowledged", date, price, told)
		}
		if v, made := l.prices[price]; !made || v == checker.Refused {
			l.Differ("a night that nobody opened", "nights", "%s at %s", date, price)
		}
		delete(l.opened, date)
	}
	for date, price := range l.opened {
		l.Differ("a night is lost", "nights", "%s at %s", date, price)
	}
}
