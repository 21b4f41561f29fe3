package hotel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// managers change the totals of the nights that the sales scenario sells, and close and reopen a house of their own
// while they open nights of it. Every update sets a maximum stay that no other one sets, far above any stay, so the
// update that a night was last written by can be told.
type managers struct {
	*checker.Run
	hotel *house
	own   *properties.WithRooms // whose sales are closed and reopened

	mu      sync.Mutex
	marks   int
	updates map[string][]*nightUpdate // by night, as "room type/date"
	opened  int                       // nights of own, per room type
}

// nightUpdate is one update of one night.
type nightUpdate struct {
	checker.Span
	mark, rooms int
	verdict     checker.Verdict
}

func newManagers(c *checker.Run, hotel *house) *managers {
	room := properties.RoomType{Name: "Single", Limits: availability.Limits{MaxOccupancy: 1, MaxAdults: 1}, BasePrice: fixture.Price, Total: scarce}
	own, err := properties.New(c.Base.Direct, nil).Create(c.T.Context(), properties.Property{
		Name: "Closing House", Slug: "closing-house", Description: "first", Type: properties.Hotel, OwnerID: "user_host",
		Status: properties.Approved, Address: properties.Address{City: "Boston", Country: "USA", Latitude: 42.36, Longitude: -71.06},
	}, []properties.RoomType{room, room})
	if err != nil {
		c.T.Fatal(err)
	}
	return &managers{Run: c, hotel: hotel, own: own, updates: map[string][]*nightUpdate{}}
}

func (m *managers) Step(w *checker.Worker) {
	switch w.Rand.IntN(12) {
	case 0:
		m.move(w, "close", officeOf(w).nights.CloseSales, availability.ErrReopened)
	case 1:
		m.move(w, "reopen", officeOf(w).nights.ReopenSales, availability.ErrClosed)
	case 2:
		m.open(w)
	default:
		m.update(w)
	}
}

// update changes one to three nights of one of the room types that are sold.
func (m *managers) update(w *checker.Worker) {
	open := dynastay.MustStay(firstNight, lastNight)
	n := 1 + w.Rand.IntN(3)
	from := open.CheckIn.AddDays(w.Rand.IntN(open.Nights() - n + 1))
	room := m.hotel.Rooms[w.Rand.IntN(2)].ID
	m.mu.Lock()
	m.marks++
	u := nightUpdate{mark: 1000 + m.marks, rooms: scarce - w.Rand.IntN(3), verdict: checker.Unknown, Span: checker.Since(m.Moment())}
	byNight := map[dynastay.Date]*nightUpdate{}
	for i := range n {
		own := u
		byNight[from.AddDays(i)] = &own
		night := fmt.Sprintf("%s/%s", room, from.AddDays(i))
		m.updates[night] = append(m.updates[night], &own)
	}
	m.mu.Unlock()

	ctx, cancel := w.Deadline()
	defer cancel()
	request := availability.UpdateRequest{PropertyID: m.hotel.ID, Changes: []availability.Change{{
		RoomTypeIDs: []string{room}, Dates: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(n)}, Rooms: &u.rooms, MaxStay: &u.mark,
	}}}
	var report availability.Report
	var err error
	mayRefuse := checker.Never
	if w.OneIn(4) { // all nights, or none
		mayRefuse = soldTooMany
		err = w.Write(ctx, officeOf(w).nights.UpdateOp(request))
	} else {
		report, err = officeOf(w).nights.Update(ctx, request)
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
		if d.Result == availability.Unchanged || (d.Result == availability.Unknown) != (own.verdict == checker.Unknown) || d.Overbooked != 0 {
			m.Differ("an untrue report", room+"/"+d.Date.String(), "%s, with mark %d", d, own.mark)
		}
	}
}

func soldTooMany(err error) bool {
	var sold *availability.SoldError
	return errors.As(err, &sold)
}

// countNight counts and notes the outcome of one night.
func (m *managers) countNight(
	ctx context.Context, w *checker.Worker, room string, date dynastay.Date, u *nightUpdate, err error, mayRefuse checker.Refusal,
) checker.Verdict {
	at := fmt.Sprintf("%s/%s", room, date)
	v := w.CallIn(ctx, "update", at, fmt.Sprintf("mark %d", u.mark), mayRefuse, func(context.Context) error { return err })
	if v == checker.Acknowledged {
		u.To = m.Moment()
	}
	return v
}

// move closes or reopens the managers' own house.
func (m *managers) move(
	w *checker.Worker, name string, call func(context.Context, string) (availability.SalesChange, error), lost error,
) {
	w.Call(name, m.own.ID, "", checker.RefusedBy(lost), func(ctx context.Context) error {
		_, err := call(ctx, m.own.ID)
		return checker.UnknownOnly(err)
	})
}

// open opens further nights of the managers' own house.
func (m *managers) open(w *checker.Worker) {
	m.mu.Lock()
	m.opened = min(m.opened+1, 150)
	from := dynastay.MustDate(firstNight).AddDays(w.Rand.IntN(m.opened))
	m.mu.Unlock()
	room := m.own.Rooms[w.Rand.IntN(2)].ID
	w.Call("open", m.own.ID, from.String(), checker.RefusedBy(availability.ErrClosed), func(ctx context.Context) error {
		return checker.ErrorOf(officeOf(w).nights.Open(ctx, availability.OpenRequest{
			PropertyID: m.own.ID, RoomTypeID: room, Rooms: scarce, Price: fixture.Price, Nights: dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(2)},
		}))
	})
}

// Settle closes the managers' own house at the end.
func (m *managers) Settle(w *checker.Worker) {
	if _, err := officeOf(w).nights.CloseSales(context.Background(), m.own.ID); err != nil {
		m.Differ("a house that cannot be closed", m.own.ID, "%v", err)
	}
}

func (m *managers) Check() {
	marked := map[string]bool{}
	for _, p := range m.Scan(keys.AvailabilityTable) {
		if p["PropertyId"] == m.own.ID {
			if p[keys.AttrPropertyClosed] != true {
				m.Differ("a night on sale in a closed house", m.own.ID, "%v", p)
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
		acknowledgedOne := slices.ContainsFunc(all, func(u *nightUpdate) bool { return u.verdict == checker.Acknowledged })
		if acknowledgedOne && !marked[night] {
			m.Differ("an update is lost", night, "no mark is stored")
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
		m.Differ("an update that nobody made", night, "mark %d", mark)
		return
	case last.verdict == checker.Refused:
		m.Differ("an update that was refused", night, "mark %d", mark)
	case last.rooms != rooms:
		m.Differ("a mixture of updates", night, "mark %d with %d rooms, not %d", mark, rooms, last.rooms)
	}
	for _, u := range m.updates[night] {
		if u.verdict == checker.Acknowledged && u.From > last.To {
			m.Differ("an update is lost", night, "mark %d is stored, and %d was made after it", mark, u.mark)
		}
	}
}
