package tracker_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// edit returns an operation on the profile.
func (h *home) edit(version int, e tracker.ProfileEdit) tracker.Operation {
	o := h.op(tracker.Update, tracker.VisitID{}, version, tracker.VisitEdit{})
	o.Entity, o.Profile = tracker.User, e
	return o
}

func TestAProfileIsFound(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string][]byte{"plain": nil, "hashed": []byte("secret")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			repo := tracker.New(h.DB.DB, &tracker.Options{EmailSecret: secret})
			made, err := repo.SignUp(t.Context(), tracker.Profile{AuthProvider: "apple", AuthProviderID: "000777", Email: " Bo@Example.com "})
			require.NoError(t, err)
			assert.Equal(t, "bo@example.com", made.Email)
			for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
				byEmail, err := repo.ProfileByEmail(t.Context(), "BO@example.com", opts...)
				require.NoError(t, err)
				byProvider, err := repo.ProfileByProvider(t.Context(), "apple", "000777", opts...)
				require.NoError(t, err)
				byID, err := repo.Profile(t.Context(), made.ID, opts...)
				require.NoError(t, err)
				assert.Equal(t, byID, byEmail)
				assert.Equal(t, byID, byProvider)
				assert.Equal(t, made, byID)
			}
			_, err = repo.ProfileByEmail(t.Context(), "nobody@example.com")
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
			row, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "EMAIL#bo@example.com", SK: "GUARD"}, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, secret == nil, row.Exists(), "no address in a key")
		})
	}
}

// Two devices sign up at the same time, in two processes: one of them does.
func TestTwoDevicesSignUp(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	for n := range 8 {
		var made sync.Map
		var both sync.WaitGroup
		for i := range 4 {
			both.Go(func() {
				opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 200}}
				p, err := tracker.New(h.Open(opts), nil).SignUp(t.Context(), tracker.Profile{
					AuthProvider: "apple", AuthProviderID: fmt.Sprint("apple-", n), Email: fmt.Sprintf("u%d.%d@example.com", n, i),
				})
				var e *dynastay.Error
				if errors.As(err, &e) {
					assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
					assert.Equal(t, "AuthProviderID", e.Field)
					return
				}
				if assert.NoError(t, err) {
					made.Store(p.ID, true)
				}
			})
		}
		both.Wait()
		users := 0
		made.Range(func(any, any) bool { users++; return true })
		assert.Equal(t, 1, users)
	}
}

func TestAProfileIsEdited(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	settings := tracker.Settings{"public": true, "radius": 12, "friends": []any{"bo"}, "nested": map[string]any{"a": nil}}
	got := h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{
		DisplayName: of("Anna"), Privacy: &settings, PictureURL: of("https://example.com/a.png"),
	}))
	require.NoError(t, got.Err)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, 2, got.Version)
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, "Anna", p.DisplayName)
	assert.Equal(t, true, p.Privacy["public"])
	assert.Equal(t, "12", fmt.Sprint(p.Privacy["radius"]))
	assert.Equal(t, "ana@example.com", p.Email)

	// Another field of another device does not conflict; the same one does.
	got = h.one("tablet", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{Notifications: &tracker.Settings{"mail": false}}))
	assert.Equal(t, tracker.Applied, got.Outcome)
	got = h.one("tablet", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{DisplayName: of("Annie")}))
	require.Equal(t, tracker.Rejected, got.Outcome)
	require.Len(t, got.Conflict.Fields, 1)
	assert.Equal(t, tracker.DisplayName, got.Conflict.Fields[0].Field)
	assert.Equal(t, "phone", got.Conflict.Fields[0].DeviceID)
	assert.Equal(t, "Anna", got.Profile.DisplayName, "what the server has")

	// Empty values remove fields.
	got = h.one("phone", tracker.ClientWins, h.edit(3, tracker.ProfileEdit{PictureURL: of(""), Privacy: &tracker.Settings{}, Email: of("")}))
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Empty(t, got.Profile.PictureURL)
	assert.Empty(t, got.Profile.Privacy)
	_, err = h.repo.ProfileByEmail(t.Context(), "ana@example.com", dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.SignUp(t.Context(), tracker.Profile{AuthProvider: "apple", AuthProviderID: "2", Email: "ana@example.com"})
	assert.NoError(t, err, "the address is free again")

	// The address belongs to somebody else now. Nothing is written.
	got = h.one("phone", tracker.ClientWins, h.edit(4, tracker.ProfileEdit{Email: of("ana@example.com"), DisplayName: of("no")}))
	require.Equal(t, tracker.Refused, got.Outcome)
	var e *dynastay.Error
	require.ErrorAs(t, got.Err, &e)
	assert.Equal(t, "Email", e.Field)
	p, err = h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, "Anna", p.DisplayName)
	assert.Equal(t, 4, p.Version)
}

// A login and a push are no edits: nobody is told that somebody else has changed the profile.
func TestTimesThatAreNoEdits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Advance(time.Hour)
	require.NoError(t, h.repo.RecordLogin(t.Context(), user))
	h.push("phone", tracker.ServerWins)
	h.Clock.Set(base.Add(30 * time.Minute))
	require.NoError(t, h.repo.RecordLogin(t.Context(), user), "a clock that has gone back")
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, base.Add(time.Hour), p.LastLoginAt)
	assert.Equal(t, base.Add(time.Hour), p.LastSyncAt)
	assert.Equal(t, base, p.UpdatedAt)
	assert.Equal(t, 1, p.Version)
	assert.ErrorIs(t, h.repo.RecordLogin(t.Context(), "nobody"), dynastay.ErrNotFound)
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 1)
}

// Bad input is refused before any request, and names the field.
func TestInvalidOperations(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := h.op(tracker.Create, italy, 0, tracker.VisitEdit{})
	for field, change := range map[string]func(*tracker.Operation){
		"ID":               func(o *tracker.Operation) { o.ID = "" },
		"ClientTime":       func(o *tracker.Operation) { o.ClientTime = time.Time{} },
		"ClientVersion":    func(o *tracker.Operation) { o.ClientVersion = -1 },
		"Type":             func(o *tracker.Operation) { o.Type = "replace" },
		"Entity":           func(o *tracker.Operation) { o.Entity = "trip" },
		"Batch":            func(o *tracker.Operation) { o.Type = tracker.BatchCreate },
		"Visit.MarkedAt":   func(o *tracker.Operation) { o.Visit.MarkedAt = time.Time{} },
		"Visit.RegionCode": func(o *tracker.Operation) { o.Visit.RegionCode = "a#b" },
		"RegionType":       func(o *tracker.Operation) { o.Visit.RegionType = "planet" },
		"Notes":            func(o *tracker.Operation) { o.Place.Notes = of(string(make([]rune, 501))) },
		"Place":            func(o *tracker.Operation) { o.Type = tracker.Update },
		"Profile": func(o *tracker.Operation) {
			o.Type, o.Entity, o.Visit = tracker.Update, tracker.User, tracker.VisitID{}
		},
		"Email": func(o *tracker.Operation) {
			o.Type, o.Entity, o.Visit, o.Profile.Email = tracker.Update, tracker.User, tracker.VisitID{}, of("no address")
		},
		"DisplayName": func(o *tracker.Operation) {
			o.Type, o.Entity, o.Visit, o.Profile.DisplayName = tracker.Update, tracker.User, tracker.VisitID{}, of(string(make([]byte, 257)))
		},
	} {
		o := good
		change(&o)
		sent := h.Faults.Count("BatchGetItem") + h.Faults.Count("TransactWriteItems")
		got := h.one("phone", tracker.ServerWins, o)
		require.Equal(t, tracker.Refused, got.Outcome, field)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, got.Err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
		}
		assert.Equal(t, sent+1, h.Faults.Count("BatchGetItem")+h.Faults.Count("TransactWriteItems"), "%s: only the time of the push", field)
	}
	for field, change := range map[string]func(*tracker.Operation){
		"Visit":   func(o *tracker.Operation) { o.Type, o.Entity, o.Profile.Email = tracker.Update, tracker.User, of("") },
		"Place":   func(o *tracker.Operation) { o.Type, o.Place.Notes = tracker.Delete, of("") },
		"Profile": func(o *tracker.Operation) { o.Profile.Email = of("") },
		"Batch":   func(o *tracker.Operation) { o.Batch = []tracker.NewVisit{{}} },
	} {
		o := good
		change(&o)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, h.one("phone", tracker.ServerWins, o).Err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	for _, id := range []string{"a.b", "a#b"} {
		o := good
		o.ID = id
		got := h.one("phone", tracker.ServerWins, o)
		assert.ErrorIs(t, got.Err, dynastay.ErrInvalid, id)
	}
	for field, p := range map[string]tracker.Push{
		"UserID": {DeviceID: "phone"}, "DeviceID": {UserID: user},
	} {
		_, err := h.repo.Push(t.Context(), p)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field)
	}
	_, err := h.repo.Push(t.Context(), tracker.Push{UserID: "nobody", DeviceID: "phone", Operations: []tracker.Operation{good}})
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// Counters, times and stamps of a profile that signs up are not those of the caller: a later time would stay.
func TestSignUpSetsWhatTheLibraryKeeps(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ahead := base.AddDate(9, 0, 0)
	by := tracker.Stamp{Version: 7, At: ahead, DeviceID: "phone"}
	p, err := h.repo.SignUp(t.Context(), tracker.Profile{
		AuthProvider: "apple", AuthProviderID: "3", LastLoginAt: ahead, LastSyncAt: ahead, CreatedAt: ahead, UpdatedAt: ahead,
		Countries: 1, USStates: 2, Provinces: 3, Version: 7, Stamps: tracker.Stamps{tracker.Email: by},
	})
	require.NoError(t, err)
	stamp := tracker.Stamp{Version: 1, At: base, DeviceID: tracker.Server}
	assert.Equal(t, &tracker.Profile{
		ID: p.ID, AuthProvider: "apple", AuthProviderID: "3", CreatedAt: base, UpdatedAt: base, Version: 1, WriteID: p.WriteID,
		Stamps: tracker.Stamps{
			tracker.Email: stamp, tracker.DisplayName: stamp, tracker.PictureURL: stamp, tracker.Privacy: stamp, tracker.Notifications: stamp,
		},
	}, p)
	assert.EqualValues(t, base.AddDate(0, 0, 30).Unix(), h.entry(1).Int("ttl"))
	_, err = h.repo.SignUp(t.Context(), tracker.Profile{
		AuthProvider: "apple", AuthProviderID: "4", DisplayName: string(make([]byte, 257)),
	})
	require.ErrorIs(t, err, dynastay.ErrInvalid)
}

// What is wrong with a profile is told by the names of its fields, and without a request.
func TestInvalidProfiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	sent := h.Faults.Count("TransactWriteItems")
	for field, change := range map[string]func(*tracker.Profile){
		"ID":             func(p *tracker.Profile) { p.ID = "a#b" },
		"AuthProvider":   func(p *tracker.Profile) { p.AuthProvider = "" },
		"AuthProviderID": func(p *tracker.Profile) { p.AuthProviderID = "" },
		"Email":          func(p *tracker.Profile) { p.Email = "no address" },
		"PictureURL":     func(p *tracker.Profile) { p.PictureURL = string(make([]byte, 5000)) },
	} {
		p := tracker.Profile{AuthProvider: "apple", AuthProviderID: "9"}
		change(&p)
		_, err := h.repo.SignUp(t.Context(), p)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		assert.Equal(t, field, invalid.Field)
	}
	assert.Equal(t, sent, h.Faults.Count("TransactWriteItems"))
}

// Fields of which another device has a later value are left as they are, also who wrote them.
func TestAnEditOfAProfileIsMerged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	earlier := h.edit(1, tracker.ProfileEdit{DisplayName: of("Annie"), PictureURL: of("https://example.com/a")})
	h.Clock.Advance(time.Minute)
	h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")}))
	got := h.one("tablet", tracker.MergeFields, earlier)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, "Anna", got.Profile.DisplayName)
	assert.Equal(t, "https://example.com/a", got.Profile.PictureURL)
	assert.Equal(t, "phone", got.Profile.Stamps[tracker.DisplayName].DeviceID)
	assert.Equal(t, tracker.Stamp{Version: 3, At: base, DeviceID: "tablet"}, got.Profile.Stamps[tracker.PictureURL])
}

// The address of a profile is in its normal form, whether it was given at the beginning or later.
func TestTheEmailOfAnEditIsNormal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.one("phone", tracker.ServerWins, h.edit(1, tracker.ProfileEdit{Email: of(" Bo@Example.com ")}))
	require.NoError(t, got.Err)
	p, err := h.repo.ProfileByEmail(t.Context(), "bo@EXAMPLE.com")
	require.NoError(t, err)
	assert.Equal(t, "bo@example.com", p.Email)

	got = h.one("phone", tracker.ServerWins, h.edit(2, tracker.ProfileEdit{Email: of("bo@MÜNCHEN.example")}))
	require.NoError(t, got.Err)
	p, err = h.repo.ProfileByEmail(t.Context(), "bo@xn--mnchen-3ya.example")
	require.NoError(t, err)
	assert.Equal(t, "bo@münchen.example", p.Email)
}
