package properties_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/properties"
)

var (
	writersCalls = flag.Int("writers.calls", 4, "calls of each of the 64 writers of one property")
	writersSeed  = flag.Uint64("writers.seed", 0, "seed of the calls of the writers; 0 chooses one")
)

// outcome is what a writer knows about something that it wrote.
type outcome int

const (
	no outcome = iota
	yes
	maybe
)

// outcomeOf returns what the error of a write in one transaction means.
func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return yes
	case errors.Is(err, dynastay.ErrOutcomeUnknown), errors.Is(err, dynastay.ErrCommitted):
		return maybe
	}
	return no
}

// writers are the processes that write one property, and what they know about it.
type writers struct {
	*testing.T
	db    *dyntest.DB
	repos []*properties.Repository

	mu     sync.Mutex
	tokens map[string]outcome // by a word that the write adds to a description
	rooms  map[string]outcome // whether it exists, by id
	images map[string]outcome
	extras map[string]outcome // amenities
	rated  []review
	calls  map[string][2]int // successes and failures
}

type review struct {
	rating int // in tenths
	outcome
}

const shared = "room_a_of_p1"

func (w *writers) note(of map[string]outcome, key string, o outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of[key] = o
}

func (w *writers) count(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.calls[name]
	if err == nil {
		n[0]++
	} else {
		n[1]++
		// Nothing is wrong with the calls, so only other writers and faults may make them fail.
		for _, kind := range []error{
			dynastay.ErrInvalid, dynastay.ErrNotFound, dynastay.ErrAlreadyExists, dynastay.ErrVersion, dynastay.ErrCorrupt,
			dynastay.ErrRejected, properties.ErrForeign,
		} {
			assert.NotErrorIs(w, err, kind, name)
		}
	}
	w.calls[name] = n
}

// write is the n-th call of the i-th writer.
func (w *writers) write(random *rand.Rand, i, n int) {
	repo, ctx := w.repos[i/8%len(w.repos)], w.Context() // each role in both processes
	own := fmt.Sprintf("%d_%d", i, n)
	word := " <" + own + ">"
	switch i % 8 {
	case 0, 1:
		_, err := repo.Update(ctx, "p1", func(p *properties.Property) error {
			p.Description += word
			if i%8 == 1 { // everything that is derived moves
				p.Address.City = []string{"New York", "Boston"}[random.IntN(2)]
				p.Address.Latitude = 40 + random.Float64()
				p.Stars, p.Name, p.Slug = random.IntN(6), "Hotel "+own, "slug-"+own
			}
			return nil
		})
		w.count("update", err)
		w.note(w.tokens, word, outcomeOf(err))
	case 2:
		w.room(repo, random, "room_"+own)
	case 3:
		_, err := repo.UpdateRoomType(ctx, "p1", shared, func(r *properties.RoomType) error {
			r.Description += word
			r.BasePrice, r.Name = dynastay.MustMoney(fmt.Sprint(100+random.IntN(300)), "USD"), "Room "+own
			return nil
		})
		w.count("update room type", err)
		w.note(w.tokens, word, outcomeOf(err))
	case 4:
		w.image(repo, random, "img_"+own)
	case 5:
		_, err := repo.AddAmenities(ctx, "p1", []string{"am_" + own})
		w.count("add amenity", err)
		w.note(w.extras, "am_"+own, outcomeOf(err))
		if err == nil && random.IntN(2) == 0 {
			_, err = repo.RemoveAmenities(ctx, "p1", []string{"am_" + own})
			w.count("remove amenity", err)
			w.note(w.extras, "am_"+own, []outcome{yes, no, maybe}[outcomeOf(err)])
		}
	case 6:
		_, err := []func() (*properties.Property, error){
			func() (*properties.Property, error) { return repo.Suspend(ctx, "p1") },
			func() (*properties.Property, error) { return repo.Approve(ctx, "p1") },
		}[random.IntN(2)]()
		w.count("status", err)
	case 7:
		rating := 10 + (i*7+n)%90
		_, err := repo.Rate(ctx, "p1", 0, dynastay.Rating(rating))
		w.count("rate", err)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.rated = append(w.rated, review{rating, outcomeOf(err)})
	}
}

func (w *writers) room(repo *properties.Repository, random *rand.Rand, id string) {
	ctx := w.Context()
	_, err := repo.AddRoomTypes(ctx, "p1", []properties.RoomType{king(id, fmt.Sprint(100+random.IntN(400)))})
	w.count("add room type", err)
	w.note(w.rooms, id, outcomeOf(err))
	// Only few are kept: the card of a property has room for about twenty room types.
	if err != nil || random.IntN(20) == 0 {
		return
	}
	_, err = repo.UpdateRoomType(ctx, "p1", id, func(r *properties.RoomType) error {
		r.BasePrice = dynastay.MustMoney(fmt.Sprint(50+random.IntN(900)), "USD")
		return nil
	})
	w.count("update room type", err)
	w.note(w.rooms, id, maybe)
	for range 5 {
		err = repo.DeleteRoomType(ctx, "p1", id)
		if errors.Is(err, dynastay.ErrNotFound) { // a call before it was successful, but its response was lost
			err = nil
		}
		if w.count("delete room type", err); err == nil {
			w.note(w.rooms, id, no)
			return
		}
	}
}

func (w *writers) image(repo *properties.Repository, random *rand.Rand, id string) {
	ctx := w.Context()
	_, err := repo.AddImages(ctx, "p1", []properties.Image{{ID: id, URL: "https://cdn.example.com/" + id, Primary: random.IntN(2) == 0}})
	w.count("add image", err)
	w.note(w.images, id, outcomeOf(err))
	if err != nil {
		return
	}
	switch random.IntN(4) {
	case 0:
		_, err = repo.SetPrimaryImage(ctx, "p1", id)
		w.count("set primary image", err)
	case 1:
		_, err = repo.UpdateImage(ctx, "p1", id, func(i *properties.Image) error {
			i.URL += "/large"
			return nil
		})
		w.count("update image", err)
	case 2:
		_, err = repo.ArrangeImages(ctx, "p1", []string{id})
		w.count("arrange images", err)
	case 3:
		err = repo.DeleteImage(ctx, "p1", id)
		w.count("delete image", err)
		w.note(w.images, id, []outcome{yes, no, maybe}[outcomeOf(err)])
	}
}

// 64 writers in two processes change everything that belongs to one property, with conflicts and all faults: no
// acknowledged write is lost, none that failed was made, and everything derived is as independent code computes it.
func TestManyWritersOfOneProperty(t *testing.T) {
	t.Parallel()
	seed := *writersSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	db := dyntest.New(t, propertyTables, dyntest.Seed(seed))
	brief := dynastay.Retry{Attempts: 12, Base: time.Millisecond, Cap: 10 * time.Millisecond}
	w := &writers{
		T: t, db: db, repos: []*properties.Repository{
			properties.New(db.Open(&dynastay.Options{Retry: patient}), nil),
			properties.New(db.Open(&dynastay.Options{Retry: brief, NoGates: true}), nil),
		},
		tokens: map[string]outcome{}, rooms: map[string]outcome{}, images: map[string]outcome{}, extras: map[string]outcome{},
		calls: map[string][2]int{},
	}
	create(t, w.repos[0], grand("p1"))
	today := dynastay.DateOf(db.Now(), nil)
	nights := dynastay.Stay{CheckIn: today.AddDays(1), CheckOut: today.AddDays(8)}
	_, err := availability.New(db.DB).Open(t.Context(), availability.OpenRequest{
		PropertyID: "p1", RoomTypeID: shared, Nights: nights, Rooms: 5, Price: dynastay.MustMoney("250", "USD"),
	})
	require.NoError(t, err)

	db.Faults.Conflicts(time.Millisecond)
	storm := db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.1})
	racing.Together(64, func(i int) {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for n := range *writersCalls {
			w.write(random, i, n)
		}
	})
	storm.Stop()
	db.Faults.Conflicts(0)
	t.Logf("calls that succeeded and failed: %v", w.calls)
	w.check()
	checkDerived(t, db, "p1")

	// The status that the last call left is finished by a repetition, whatever was interrupted.
	_, err = w.repos[0].Approve(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	checked, err := availability.New(db.DB).Check(t.Context(), "p1", shared, 1, nights, dynastay.Consistent)
	require.NoError(t, err)
	assert.NoError(t, checked.Err(), "approved")
	_, err = w.repos[0].Suspend(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	checked, err = availability.New(db.DB).Check(t.Context(), "p1", shared, 1, nights, dynastay.Consistent)
	require.NoError(t, err)
	refused := blame.As[*availability.Refused](t, checked.Err())
	assert.Len(t, refused.Nights, nights.Nights(), "suspended")
}

// check compares what the writers know with what is stored.
func (w *writers) check() {
	whole, err := w.repos[0].GetWhole(w.Context(), "p1", dynastay.Consistent)
	require.NoError(w, err)
	texts := whole.Description
	var rooms, images []string
	for _, room := range whole.Rooms {
		rooms = append(rooms, room.ID)
		if room.ID == shared {
			texts += room.Description
		}
	}
	primary := 0
	for _, image := range whole.Images {
		images = append(images, image.ID)
		if image.Primary {
			primary++
			assert.Equal(w, image.URL, whole.PrimaryImageURL)
		}
	}
	assert.Equal(w, min(len(images), 1), primary, "primary images")
	assert.Len(w, images, whole.ImageCount)
	for word, o := range w.tokens {
		w.expect("word", word, o, strings.Count(texts, word))
	}
	for _, of := range []struct {
		what  string
		known map[string]outcome
		there []string
	}{{"room type", w.rooms, rooms}, {"image", w.images, images}, {"amenity", w.extras, whole.AmenityIDs}} {
		for id, o := range of.known {
			n := 0
			if slices.Contains(of.there, id) {
				n = 1
			}
			w.expect(of.what, id, o, n)
		}
	}
	ratings := plainOf(w, stored(w, w.db, "p1"))
	assert.Contains(w, sums(w.rated), [2]int{whole.ReviewCount, int(math.Round(10 * ratings["RatingSum"].(float64)))}, "number and sum of the ratings")
	assert.NotEmpty(w, w.tokens)
}

// sums returns the numbers and sums of ratings that are possible.
func sums(rated []review) map[[2]int]bool {
	all := map[[2]int]bool{{}: true}
	for _, r := range rated {
		if r.outcome == no {
			continue
		}
		next := map[[2]int]bool{}
		for sum := range all {
			next[[2]int{sum[0] + 1, sum[1] + r.rating}] = true
			if r.outcome == maybe {
				next[sum] = true
			}
		}
		all = next
	}
	return all
}

func (w *writers) expect(what, id string, o outcome, times int) {
	switch o {
	case yes:
		assert.Equal(w, 1, times, "acknowledged %s %s", what, id)
	case no:
		assert.Zero(w, times, "%s %s, which failed", what, id)
	case maybe:
		assert.LessOrEqual(w, times, 1, "%s %s", what, id)
	}
}
