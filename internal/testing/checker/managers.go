package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// managers change the totals of the nights that the sales scenario sells, and close and reopen a house of their own
// while they open nights of it. Every update sets a maximum stay that no other one sets, far above any stay, so the
// update that a night was last written by can be told.
type managers struct {
	*checker
	hotel *house
	own   *properties.WithRooms // whose sales are closed and reopened

	mu      sync.Mutex
	marks   int
	updates map[string][]*nightUpdate // by night, as "room type/date"
	opened  int                       // nights of own, per room type
}

// nightUpdate is one update of one night.
type nightUpdate struct {
	span
	mark, rooms int
	verdict     verdict
}

func newManagers(c *checker, hotel *house) *managers {
	room := properties.RoomType{Name: "Single", Limits: availability.Limits{MaxOccupancy: 1, MaxAdults: 1}, BasePrice: fixture.Price, Total: scarce}
	own, err := properties.New(c.db.Direct, nil).Create(c.t.Context(), properties.Property{
		Name: "Closing House", Slug: "closing-house", Description: "first", Type: properties.Hotel, OwnerID: "user_host",
		Status: properties.Approved, Address: properties.Address{City: "Boston", Country: "USA", Latitude: 42.36, Longitude: -71.06},
	}, []properties.RoomType{room, room})
	if err != nil {
		c.t.Fatal(err)
	}
	return &managers{checker: c, hotel: hotel, own: own, updates: map[string][]*nightUpdate{}}
}

func (m *managers) step(w *worker) {
	switch w.rand.IntN(12) {
	case 0:
		m.move(w, "close", officeOf(w.process).nights.CloseSales, availability.ErrReopened)
	case 1:
		m.move(w, "reopen", officeOf(w.process).nights.ReopenSales, availability.ErrClosed)
	case 2:
		m.open(w)
	default:
		m.update(w)
	}
}

// update changes one to three nights of one of the room types that are sold.
func (m *managers) update(w *worker) {
	open := dynastay.MustStay(firstNight, lastNight)
	n := 1 + w.rand.IntN(3)
	from := open.CheckIn.AddDays(w.rand.IntN(open.Nights() - n + 1))
	room := m.hotel.Rooms[w.rand.IntN(2)].ID
	m.mu.Lock()
	m.marks++
	u := nightUpdate{mark: 1000 + m.marks, rooms: scarce - w.rand.IntN(3), verdict: unknown, span: since(m.now())}
	byNight := map[dynastay.Date]*nightUpdate{}
	for i := range n {
		own := u
		byNight[from.AddDays(i)] = &own
		night := fmt.Sprintf("%s/%s", room, from.AddDays(i))
		m.updates[night] = append(m.updates[night], &own)
	}
	m.mu.Unlock()

	ctx, cancel := w.deadline()
	defer cancel()
	request := availability.UpdateRequest{PropertyID: m.hotel.ID, Changes: []availability.Change{{
		RoomTypeIDs: []string{room}, Dates: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(n)}, Rooms: &u.rooms, MaxStay: &u.mark,
	}}}
	var report availability.Report
	var err error
	mayRefuse := never
	if w.oneIn(4) { // all nights, or none
		mayRefuse = soldTooMany
		err = w.Write(ctx, officeOf(w.process).nights.UpdateOp(request))
	} else {
		report, err = officeOf(w.process).nights.Update(ctx, request)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(report.Dates) == 0 {
		for date, own := range byNight {
			own.verdict = m.countNight(ctx, w, room, date, own, err, mayRefuse)
		}
		return
	}
	for _, d := range report.Dates {
		own := byNight[d.Date]
		own.verdict = m.countNight(ctx, w, room, d.Date, own, d.Err, soldTooMany)
		if d.Result == availability.Unchanged || (d.Result == availability.Unknown) != (own.verdict == unknown) || d.Overbooked != 0 {
			m.differ("an untrue report", room+"/"+d.Date.String(), "%s, with mark %d", d, own.mark)
		}
	}
}

func soldTooMany(err error) bool {
	var sold *availability.SoldError
	return errors.As(err, &sold)
}

// countNight counts and notes the outcome of one night.
func (m *managers) countNight(
	ctx context.Context, w *worker, room string, date dynastay.Date, u *nightUpdate, err error, mayRefuse refusal,
) verdict {
	at := fmt.Sprintf("%s/%s", room, date)
	v := w.callIn(ctx, "update", at, fmt.Sprintf("mark %d", u.mark), mayRefuse, func(context.Context) error { return err })
	if v == acknowledged {
		u.to = m.now()
	}
	return v
}

// move closes or reopens the managers' own house.
func (m *managers) move(
	w *worker, name string, call func(context.Context, string) (availability.SalesChange, error), lost error,
) {
	w.call(name, m.own.ID, "", refusedBy(lost), func(ctx context.Context) error {
		_, err := call(ctx, m.own.ID)
		return unknownOnly(err)
	})
}

// open opens further nights of the managers' own house.
func (m *managers) open(w *worker) {
	m.mu.Lock()
	m.opened = min(m.opened+1, 150)
	from := dynastay.MustDate(firstNight).AddDays(w.rand.IntN(m.opened))
	m.mu.Unlock()
	room := m.own.Rooms[w.rand.IntN(2)].ID
	w.call("open", m.own.ID, from.String(), refusedBy(availability.ErrClosed), func(ctx context.Context) error {
		_, err := officeOf(w.process).nights.Open(ctx, availability.OpenRequest{
			PropertyID: m.own.ID, RoomTypeID: room, Rooms: scarce, Price: fixture.Price, Nights: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(2)},
		})
		return err
	})
}

// settle closes the managers' own house at the end.
func (m *managers) settle(w *worker) {
	if _, err := officeOf(w.process).nights.CloseSales(context.Background(), m.own.ID); err != nil {
		m.differ("a house that cannot be closed", m.own.ID, "%v", err)
	}
}

func (m *managers) check() {
	marked := map[string]bool{}
	for _, p := range m.scan(keys.AvailabilityTable) {
		if p["PropertyId"] == m.own.ID {
			if p[keys.AttrPropertyClosed] != true {
				m.differ("a night on sale in a closed house", m.own.ID, "%v", p)
			}
			continue
		}
		if mark, there := p["MaxStay"].(float64); there {
			night := fmt.Sprintf("%s/%s", p["RoomTypeId"], p["Date"])
			marked[night] = true
			m.checkNight(night, int(mark), int(p["TotalRooms"].(float64)))
		}
	}
	for night, all := range m.updates {
		acknowledgedOne := slices.ContainsFunc(all, func(u *nightUpdate) bool { return u.verdict == acknowledged })
		if acknowledgedOne && !marked[night] {
			m.differ("an update is lost", night, "no mark is stored")
		}
	}
}

// checkNight compares the update that a night was last written by with the others.
func (m *managers) checkNight(night string, mark, rooms int) {
	var last *nightUpdate
	for _, u := range m.updates[night] {
		if u.mark == mark {
			last = u
		}
	}
	switch {
	case last == nil:
		m.differ("an update that nobody made", night, "mark %d", mark)
		return
	case last.verdict == refused:
		m.differ("an update that was refused", night, "mark %d", mark)
	case last.rooms != rooms:
		m.differ("a mixture of updates", night, "mark %d with %d rooms, not %d", mark, rooms, last.rooms)
	}
	for _, u := range m.updates[night] {
		if u.verdict == acknowledged && u.from > last.to {
			m.differ("an update is lost", night, "mark %d is stored, and %d was made after it", mark, u.mark)
		}
	}
}
