package properties_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

var (
	meetings    = flag.Int("meetings", 200, "of all pairs of calls, one in this many meets, drawn by -meetings.seed; 1 for all")
	meetingSeed = flag.Uint64("meetings.seed", 0, "0 draws it")
	meetingOf   = flag.String("meetings.of", "", "a pair of calls, such as Approve/Delete; empty means all")
)

// stage is a property in which two calls meet. Its ids have characters that are special in keys and in paths.
type stage struct {
	t     *testing.T
	db    *dyntest.DB
	id    string
	offer *availability.Quote
}

func (s *stage) room(n int) string  { return fmt.Sprintf("r.%d %%[0]ü of %s", n, s.id) }
func (s *stage) image(n int) string { return fmt.Sprintf("i.%d %%{}", n) }

// meeting is a call that writes a property.
type meeting struct {
	name   string
	status properties.Status // in which it succeeds; "" means any
	// long says that the call takes more than one transaction, so that something may happen between them.
	long    bool
	foreign bool
	call    func(context.Context, *dynastay.DB, *stage) error
}

func repoOf(db *dynastay.DB) *properties.Repository { return properties.New(db, nil) }

var meetingsOf = []meeting{
	{name: "UpdateCity", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Update(ctx, s.id, edit(func(p *properties.Property) { p.Address.City = "Boston" })))
	}},
	{name: "UpdateSlug", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Update(ctx, s.id, edit(func(p *properties.Property) { p.Slug = "new-" + s.id })))
	}},
	{name: "AddRoomTypes", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).AddRoomTypes(ctx, s.id, []properties.RoomType{king(s.room(3), "99"), king(s.room(4), "990")}))
	}},
	{name: "UpdateRoomType", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).UpdateRoomType(ctx, s.id, s.room(1), func(r *properties.RoomType) error {
			r.BasePrice, r.Name = dynastay.MustMoney("120", "USD"), "Small"
			return nil
		}))
	}},
	{name: "DeleteRoomType", long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).DeleteRoomType(ctx, s.id, s.room(1))
	}},
	{name: "DeleteRoomType2", long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).DeleteRoomType(ctx, s.id, s.room(2))
	}},
	{name: "AddImages", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).AddImages(ctx, s.id, []properties.Image{
			{ID: s.image(5), URL: "https://x/5"}, {ID: s.image(6), URL: "https://x/6", Primary: true},
		}))
	}},
	{name: "SetPrimaryImage", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).SetPrimaryImage(ctx, s.id, s.image(2)))
	}},
	{name: "SetPrimaryImage3", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).SetPrimaryImage(ctx, s.id, s.image(3)))
	}},
	{name: "DeleteImage", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).DeleteImage(ctx, s.id, s.image(1))
	}},
	{name: "DeleteImage2", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).DeleteImage(ctx, s.id, s.image(2))
	}},
	{name: "UpdateImage", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).UpdateImage(ctx, s.id, s.image(1), func(i *properties.Image) error { i.URL = "https://x/new"; return nil }))
	}},
	{name: "UpdateImage2", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).UpdateImage(ctx, s.id, s.image(2), func(i *properties.Image) error { i.URL = "https://x/new2"; return nil }))
	}},
	{name: "ArrangeImages", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).ArrangeImages(ctx, s.id, []string{s.image(2), s.image(1), s.image(3), s.image(4)}))
	}},
	{name: "ArrangeLast", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).ArrangeImages(ctx, s.id, []string{s.image(1), s.image(2), s.image(4), s.image(3)}))
	}},
	{name: "AddAmenities", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).AddAmenities(ctx, s.id, []string{"sauna.1 %", "bar"}))
	}},
	{name: "RemoveAmenities", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).RemoveAmenities(ctx, s.id, []string{"pool", "bar"}))
	}},
	{name: "SetAmenities", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).SetAmenities(ctx, s.id, []string{"gym", "spa"}))
	}},
	{name: "Approve", status: properties.Pending, long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Approve(ctx, s.id))
	}},
	{name: "ApproveAgain", status: properties.Suspended, long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Approve(ctx, s.id))
	}},
	{name: "Reject", status: properties.Pending, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Reject(ctx, s.id))
	}},
	{name: "Resubmit", status: properties.Rejected, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Resubmit(ctx, s.id))
	}},
	{name: "Suspend", status: properties.Approved, long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Suspend(ctx, s.id))
	}},
	{name: "Rate", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).Rate(ctx, s.id, 0, 47))
	}},
	{name: "Delete", long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).Delete(ctx, s.id)
	}},
	{name: "Adopt", foreign: true, long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return repoOf(db).Adopt(ctx, s.id)
	}},
	{name: "AdoptAmenity", foreign: true, long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(repoOf(db).AddAmenities(ctx, s.id, []string{"sauna.1 %"}))
	}},
	{name: "CloseSales", long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(availability.New(db).CloseSales(ctx, s.id))
	}},
	{name: "ReopenSales", long: true, call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(availability.New(db).ReopenSales(ctx, s.id))
	}},
	{name: "Open", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(s.open(ctx, db, 1, "2026-07-11"))
	}},
	{name: "Book", call: func(ctx context.Context, db *dynastay.DB, s *stage) error {
		return second(bookings.New(db, nil).Create(ctx, fixture.Request(s.offer)))
	}},
}

func (s *stage) open(ctx context.Context, db *dynastay.DB, room int, from string) (availability.Opened, error) {
	first := dynastay.MustDate(from)
	return availability.New(db).Open(ctx, availability.OpenRequest{
		PropertyID: s.id, RoomTypeID: s.room(room), Rooms: 5, Price: fixture.Price,
		Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(2)},
	})
}

// newStage creates the property, with two room types, four images, three amenities and nights.
func newStage(t *testing.T, db *dyntest.DB, id string, status properties.Status, foreign bool) *stage {
	t.Helper()
	s, ctx := &stage{t: t, db: db, id: id}, t.Context()
	repo := repoOf(db.Direct)
	made, err := repo.Create(ctx, grand(id, pending, func(p *properties.Property) {
		p.AmenityIDs, p.Slug = []string{"Wi-Fi 5.0 %", "pool", "gym"}, "old-"+id
	}), []properties.RoomType{king(s.room(1), "250"), king(s.room(2), "150")})
	require.NoError(t, err)
	_, err = repo.AddImages(ctx, id, []properties.Image{
		{ID: s.image(1), URL: "https://x/1"}, {ID: s.image(2), URL: "https://x/2"}, {ID: s.image(3), URL: "https://x/3"}, {ID: s.image(4), URL: "https://x/4"},
	})
	require.NoError(t, err)
	for room := 1; room <= 2; room++ {
		_, err = s.open(ctx, db.Direct, room, "2026-07-01")
		require.NoError(t, err)
	}
	req, err := made.Card().QuoteRequest(dynastay.MustStay("2026-07-01", "2026-07-03"), availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: s.room(1), Quantity: 1})
	require.NoError(t, err)
	s.offer, err = availability.New(db.Direct).Quote(ctx, req)
	require.NoError(t, err)
	for _, step := range map[properties.Status][]func(context.Context, string, ...dynastay.UpdateOption) (*properties.Property, error){
		properties.Approved: {repo.Approve}, properties.Rejected: {repo.Reject}, properties.Suspended: {repo.Approve, repo.Suspend},
	}[status] {
		require.NoError(t, second(step(ctx, id)))
	}
	if foreign {
		set(t, db, keyOf(id), "SET OwnerId = :owner, GSI3PK = :gone, AmenityList = :list REMOVE WriteId", dynastay.Item{
			":owner": dynastay.Text("user_9"), ":gone": dynastay.Text("OWNER#stale"), ":list": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				dynastay.Text("pool"), dynastay.Text("gym"), dynastay.Text("Wi-Fi 5.0 %"),
			}},
		})
	}
	return s
}

// refusals are the errors that a call may have because of the other one.
func isRefusal(err error) bool {
	var status *properties.StatusError
	var sold *availability.SoldAheadError
	var refused *availability.Refused
	for _, kind := range []error{
		dynastay.ErrNotFound, dynastay.ErrInvalid, availability.ErrClosed, availability.ErrReopened, availability.ErrSuspended, dynastay.ErrAlreadyExists,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.As(err, &status) || errors.As(err, &sold) || errors.As(err, &refused)
}

var volatile = regexp.MustCompile(`^(WriteId|CreatedAt|UpdatedAt|GSI11SK)$`)

// state returns everything that is stored about the property, except for what is generated.
func (s *stage) state() string {
	all := map[string]dynastay.Item{}
	parts := []string{"PROPERTY#" + s.id, "SLUG#old-" + s.id, "SLUG#new-" + s.id}
	for n := 1; n <= 4; n++ {
		parts = append(parts, "ROOM#"+s.room(n))
	}
	for _, pk := range parts {
		for sk, item := range partition(s.t, s.db, pk) {
			all[pk+" "+sk] = item
		}
	}
	for n := 1; n <= 2; n++ {
		for _, row := range s.nights(n) {
			all["night "+fmt.Sprint(n)+row.Text("SK")] = row.Item()
		}
	}
	seen := plain{}
	for key, item := range all {
		m := plainOf(s.t, item)
		maps.DeleteFunc(m, func(name string, _ any) bool { return volatile.MatchString(name) || name == keys.AttrOpened })
		for _, name := range []string{"Closed", "Reopened"} {
			if id, ok := m[name].(string); ok {
				prefix, _, found := strings.Cut(id, "#")
				m[name] = found && prefix != ""
				if found {
					m[name] = prefix
				}
			}
		}
		seen[key] = m
	}
	text, err := json.MarshalIndent(seen, "", " ")
	require.NoError(s.t, err)
	return strings.ReplaceAll(string(text), s.id, "{id}")
}

func (s *stage) nights(room int) []dynastay.Row {
	rows, err := dynastay.QueryAll(context.Background(), s.db.Direct, keys.AvailabilityTable, dynastay.Query{
		Partition: "ROOM#" + s.room(room), Consistent: true,
	})
	require.NoError(s.t, err)
	return rows
}

// check checks what must hold after two calls.
func (s *stage) check(at string, errs ...error) {
	for _, err := range errs {
		if err != nil {
			assert.True(s.t, isRefusal(err), "%s: %v", at, err)
		}
	}
	items := partition(s.t, s.db, "PROPERTY#"+s.id)
	if items["METADATA"] == nil {
		assert.Empty(s.t, items, at)
		for _, slug := range []string{"old-", "new-"} {
			assert.Empty(s.t, partition(s.t, s.db, "SLUG#"+slug+s.id), at)
		}
	} else if dynastay.RowOf(items["METADATA"]).Value("WriteId").Kind() == dynastay.KindBinary {
		checkDerived(s.t, s.db, s.id, "old-"+s.id, "new-"+s.id)
	}
	whole := !slices.ContainsFunc(errs, func(err error) bool { return err != nil })
	for n := 1; n <= 2; n++ {
		guard := partition(s.t, s.db, "ROOM#"+s.room(n))["GUARD"]
		require.NotNil(s.t, guard, "%s: guard of room %d", at, n)
		closed := dynastay.RowOf(guard).Text("Closed") != ""
		if items["ROOM#"+s.room(n)] == nil {
			assert.True(s.t, closed, "%s: room type %d was deleted", at, n)
		}
		for _, row := range s.nights(n) {
			if whole || items["ROOM#"+s.room(n)] == nil {
				assert.Equal(s.t, closed, row.Value(keys.AttrPropertyClosed).Bool(), "%s: night of room %d", at, n)
			}
			if row.Int("TotalRooms") > row.Int("AvailableRooms") {
				assert.NotNil(s.t, items["ROOM#"+s.room(n)], "%s: a room type with sold nights was deleted", at)
			}
		}
	}
}

type firstCall struct{}

func ofFirst(r dyntest.Request) bool { return r.Context.Value(firstCall{}) != nil }

// baseOf returns the status in which two calls meet.
func baseOf(a, b meeting) properties.Status {
	for _, m := range []meeting{a, b} {
		if m.status != "" {
			return m.status
		}
	}
	return properties.Approved
}

// Any two calls meet: the second happens before any of the requests of the first one. Whatever is derived follows from
// both, and what is acknowledged was done: unless a call takes several transactions, the result is that of one call
// after the other.
func TestAnyTwoCallsMeet(t *testing.T) {
	t.Parallel()
	seed := *meetingSeed
	if seed == 0 {
		seed = uint64(rand.Uint32())
	}
	t.Logf("-meetings.seed=%d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now), dyntest.Seed(seed))
	n := 0
	for _, a := range meetingsOf {
		for _, b := range meetingsOf {
			drawn := draw.IntN(*meetings) == 0
			if name := a.name + "/" + b.name; *meetingOf == "" && !drawn || *meetingOf != "" && *meetingOf != name {
				continue
			}
			n++
			meet(t, db, fmt.Sprintf("p%d", n), a, b)
		}
	}
}

func meet(t *testing.T, db *dyntest.DB, id string, a, b meeting) {
	name := a.name + "/" + b.name
	status, foreign := baseOf(a, b), a.foreign || b.foreign
	direct := func(m meeting, s *stage) error { return m.call(t.Context(), db.Open(nil), s) }
	kinds := func(x, y error) string {
		return fmt.Sprint("first failed: ", x != nil, ", second failed: ", y != nil, "\n")
	}
	ab := newStage(t, db, id+"ab", status, foreign)
	stop := db.Faults.Record()
	x := a.call(t.Context(), db.Open(nil), ab)
	requests := len(stop())
	y := direct(b, ab)
	ab.check(name+" one after the other", x, y)
	ba := newStage(t, db, id+"ba", status, foreign)
	y2 := direct(b, ba)
	x2 := direct(a, ba)
	ba.check(name+" the other way round", x2, y2)
	want := []string{kinds(x, y) + ab.state(), kinds(x2, y2) + ba.state()}
	for nth := 1; nth <= requests; nth++ {
		at := fmt.Sprintf("%s at request %d of %d", name, nth, requests)
		s := newStage(t, db, fmt.Sprintf("%sn%d", id, nth), status, foreign)
		var y error
		met := false
		fault := db.Faults.Inject(dyntest.Before(func(context.Context) {
			met = true
			y = direct(b, s)
		}), dyntest.When{Match: ofFirst, Nth: nth, Optional: true})
		x := a.call(context.WithValue(t.Context(), firstCall{}, true), db.Open(&dynastay.Options{Retry: patient}), s)
		fault.Stop()
		if !met {
			continue
		}
		s.check(at, x, y)
		if got := kinds(x, y) + s.state(); !a.long && !b.long && !slices.Contains(want, got) {
			assert.Fail(t, "not the result of one call after the other", "%s: %v, %v\n%s\nwant\n%s\nor\n%s", at, x, y, got, want[0], want[1])
		}
	}
}
