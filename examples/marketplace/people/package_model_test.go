package people_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

var modelOperations = flag.Int("model.operations", 12, "how many operations each run of TestModel makes at most")

// Users sign up, learn and forget skills, move, and are replaced by other software and adopted again, through conflicts
// and lost answers. The items of the skills are those of the profiles, and every search finds what a model in memory
// does.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := newTown(t)
		n.Faults.Inject(dyntest.AnyOf(dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{
			Operation: "TransactWriteItems", Chance: 0.2, Optional: true,
		})
		w := &world{T: rt, town: n, users: map[string]*people.Profile{}}
		for range rapid.IntRange(0, *modelOperations).Draw(rt, "steps") {
			w.step(rapid.IntRange(0, 9).Draw(rt, "step"))
		}
		w.compare()
	})
}

type world struct {
	*rapid.T
	town  *town
	users map[string]*people.Profile
}

func pick[V any](w *world, label string, values ...V) V {
	return values[rapid.IntRange(0, len(values)-1).Draw(w.T, label)]
}

func (w *world) step(kind int) {
	id := pick(w, "user", "w1", "w2", "w3", "w4")
	p := w.users[id]
	if p == nil {
		made := worker(id, w.skills()...)
		made.Role, made.Location = pick(w, "role", people.Worker, people.Worker, people.Seller), w.place()
		if made.Role == people.Seller {
			made.Work, made.Shop.BusinessName = people.Work{}, "Supplies"
		}
		w.users[id] = w.town.signUp(made)
		return
	}
	isWorker := p.Role == people.Worker
	switch {
	case kind < 4 && isWorker:
		skills := w.skills()
		w.users[id] = w.town.update(id, func(p *people.Profile) { p.Work.Skills = skills })
	case kind < 6:
		place := w.place()
		w.users[id] = w.town.update(id, func(p *people.Profile) { p.Location = place })
	case kind < 7:
		w.town.count(id, people.Tally{Ratings: 1, Stars: 5})
		w.users[id] = w.town.profile(id)
	case kind < 8:
		w.users[id] = w.town.update(id, func(p *people.Profile) { p.Name += "x" })
	default:
		w.replace(id, isWorker)
	}
}

// replace changes a profile as other software does, without the skills, and then adopts it or updates it.
func (w *world) replace(id string, isWorker bool) {
	place, item := w.place(), w.town.raw(id)
	delete(item, "writeId")
	item["location"] = &types.AttributeValueMemberM{Value: dynastay.Item{
		"city": dynastay.Text(place.City), "lat": &types.AttributeValueMemberN{Value: fmt.Sprint(place.Latitude)},
		"lng": &types.AttributeValueMemberN{Value: fmt.Sprint(place.Longitude)},
	}}
	if isWorker {
		item["skills"] = texts(w.skills()...)
	}
	w.town.put(item)
	var err error
	if rapid.Bool().Draw(w.T, "adopt") {
		w.users[id], err = w.town.repo.Adopt(w.town.t.Context(), id)
		require.NoError(w, err)
		return
	}
	skills, again := w.skills(), rapid.Bool().Draw(w.T, "other skills")
	w.users[id] = w.town.update(id, func(p *people.Profile) {
		p.Name += "y"
		if isWorker && again {
			p.Work.Skills = skills
		}
	})
}

// skills returns few skills, in different spellings.
func (w *world) skills() (all []string) {
	spellings := [][]string{{"painting", "Painting", "PAINT-ING"}, {"Brick laying", "bricklaying"}, {"roofing", "Röofing"}, {"&", "and"}}
	for _, spelling := range spellings {
		if rapid.Bool().Draw(w.T, "has") {
			all = append(all, pick(w, "spelling", spelling...))
		}
	}
	if len(all) > 1 && rapid.Bool().Draw(w.T, "turned") {
		slices.Reverse(all)
	}
	return all
}

func (w *world) place() people.Location {
	return people.Location{
		City:     pick(w, "city", "Estcourt", "Est", "A#1"),
		Latitude: estcourt.Latitude + float64(rapid.IntRange(-3, 3).Draw(w.T, "north"))/100, Longitude: pick(w, "longitude", 29.87, 29.88, 180),
	}
}

func has(p *people.Profile, skills []string) (n int) {
	for _, name := range skills {
		if slices.ContainsFunc(p.Work.Skills, func(s string) bool { return key.Fold(s) == key.Fold(name) }) {
			n++
		}
	}
	return n
}

// compare compares the items of the skills, and what the searches find, with the profiles.
func (w *world) compare() {
	for id, p := range w.users {
		got := w.town.profile(id)
		require.Equal(w, p, got)
		items := w.town.skillItems(id)
		require.Len(w, items, len(p.Work.Skills))
		for _, name := range p.Work.Skills {
			row := items[key.Fold(name)]
			require.Equal(w, name, row.Text("skill"))
			place, err := key.PlaceOf(p.Location.Latitude, p.Location.Longitude)
			require.NoError(w, err)
			city := map[string]string{"A#1": "A%231"}[p.Location.City]
			for attribute, want := range map[string]string{
				"GSI1PK": "ROLE#WORKER#SKILL#" + key.Fold(name), "GSI1SK": "LOCATION#" + cmp.Or(city, p.Location.City) + "#USER#" + id,
				"GSI2PK": "GEOCELL#WORKER#SKILL#" + key.Fold(name) + "#" + place.Cell, "GSI2SK": place.Geohash + "#USER#" + id,
			} {
				require.Equal(w, want, row.Text(attribute), attribute)
			}
		}
	}
	repo, limit := w.town.repo, rapid.IntRange(1, 4).Draw(w.T, "limit")
	query := []string{pick(w, "first", "painting", "Bricklaying"), pick(w, "second", "roofing", "AND", "painting")}
	distinct := len(slices.Compact(slices.Clone(query)))
	for _, city := range []string{"", "Estcourt", "Est", "A#1"} {
		for _, role := range []people.Role{people.Worker, people.Seller} {
			require.Equal(w, w.expected(city, func(p *people.Profile) bool { return p.Role == role }), w.town.ids(repo.InCity(role, city), limit))
		}
		some := func(p *people.Profile) bool { return has(p, query) > 0 }
		require.Equal(w, w.expected(city, some), w.town.ids(repo.WithAnySkill(city, query...), limit))
		all := func(p *people.Profile) bool { return has(p, slices.Compact(slices.Clone(query))) == distinct }
		require.Equal(w, w.expected(city, all), w.town.ids(repo.WithAllSkills(city, query...), limit))
	}
	for _, skills := range [][]string{nil, query, query[:1]} {
		q := around(pick(w, "radius", 100., 1000, 1500, 3000, 100_000), skills...)
		q.Longitude = pick(w, "around", 29.87, 29.88, -180)
		near, err := repo.Near(w.town.t.Context(), q)
		require.NoError(w, err)
		want := w.near(q)
		require.Len(w, near, len(want))
		for i, found := range near {
			require.InDelta(w, want[found.ID], found.Distance, 0.01)
			require.Equal(w, w.users[found.ID], found.Profile)
			require.True(w, i == 0 || cmp.Or(
				cmp.Compare(near[i-1].Distance, found.Distance), cmp.Compare(near[i-1].ID, found.ID)) < 0, "in order")
		}
	}
}

// expected returns the users in a city, or by city.
func (w *world) expected(city string, match func(*people.Profile) bool) (ids []string) {
	var all []*people.Profile
	for _, p := range w.users {
		if (city == "" || p.Location.City == city) && match(p) {
			all = append(all, p)
		}
	}
	order := map[string]int{"A#1": 1, "Est": 2, "Estcourt": 3} // "#" comes before letters
	slices.SortFunc(all, func(a, b *people.Profile) int {
		return cmp.Or(cmp.Compare(order[a.Location.City], order[b.Location.City]), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return ids
}

// near returns the distances of the users that a search by place should find, computed in another way.
func (w *world) near(q people.NearQuery) map[string]float64 {
	vector := func(latitude, longitude float64) [3]float64 {
		a, b := latitude*math.Pi/180, longitude*math.Pi/180
		return [3]float64{math.Cos(a) * math.Cos(b), math.Cos(a) * math.Sin(b), math.Sin(a)}
	}
	all := map[string]float64{}
	for id, p := range w.users {
		a, b := vector(q.Latitude, q.Longitude), vector(p.Location.Latitude, p.Location.Longitude)
		chord := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
		distance := 2 * 6_371_008.8 * math.Asin(chord/2)
		if p.Role == people.Worker && distance <= q.Radius && has(p, q.Skills) == len(q.Skills) {
			all[id] = distance
		}
	}
	return all
}
