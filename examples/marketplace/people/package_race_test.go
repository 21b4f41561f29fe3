package people_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// processes returns the repositories of two processes, through conflicts and lost answers and requests.
func (n *town) processes() []*people.Repository {
	n.Faults.Conflicts(0)
	n.Faults.Inject(dyntest.AnyOf(dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.1,
	})
	opts := &dynastay.Options{Clock: n.Clock.Now, Retry: dynastay.Retry{Attempts: 500}}
	return []*people.Repository{people.New(n.Open(opts), nil), people.New(n.Open(opts), nil)}
}

// followed checks that the items of a user's skills are those of the profile.
func (n *town) followed(id string) {
	n.t.Helper()
	p := n.profile(id)
	items := n.skillItems(id)
	require.Len(n.t, items, len(p.Work.Skills))
	for _, name := range p.Work.Skills {
		row := items[key.Fold(name)]
		assert.Equal(n.t, name, row.Text("skill"))
		assert.Equal(n.t, "LOCATION#"+p.Location.City+"#USER#"+id, row.Text("GSI1SK"))
	}
}

// Many callers in two processes change the skills and the city of a worker. None of their changes is lost, and the
// items of the skills are those of the profile. Whoever does not know whether a change was made reads the profile.
func TestSkillsFollowAtTheSameTime(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.signUp(worker("w", "start"))
	repos := n.processes()
	var mu sync.Mutex
	versions, names := 1, map[string]bool{"start": true}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for k := range 6 {
				name, city := fmt.Sprint("skill ", i, k%3), fmt.Sprint("City", rand.IntN(3))
				p, err := repos[i%2].Update(t.Context(), "w", func(p *people.Profile) error {
					p.Location.City = city
					if at := slices.Index(p.Work.Skills, name); at >= 0 {
						p.Work.Skills = slices.Delete(p.Work.Skills, at, at+1)
					} else {
						p.Work.Skills = append(p.Work.Skills, name)
					}
					return nil
				})
				if errors.Is(err, dynastay.ErrOutcomeUnknown) {
					p, err = people.New(n.Direct, nil).Profile(t.Context(), "w", dynastay.Consistent)
				}
				if assert.NoError(t, err) {
					mu.Lock()
					versions = max(versions, p.Version)
					names[name] = slices.Contains(p.Work.Skills, name)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	p := n.profile("w")
	assert.Equal(t, p.Version, versions)
	maps.DeleteFunc(names, func(_ string, has bool) bool { return !has })
	assert.ElementsMatch(t, slices.Collect(maps.Keys(names)), p.Work.Skills, "each name belongs to one caller")
	n.followed("w")
}

// A profile of other software is adopted by many callers at the same time, some of whom change it. Then other software
// writes it again.
func TestAdoptionsAtTheSameTime(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	repos := n.processes()
	item := items["worker456"]
	for round := range 5 {
		n.put(item)
		var wg sync.WaitGroup
		var acknowledged atomic.Int32
		for i := range 8 {
			wg.Go(func() {
				var err error
				switch {
				case i < 3:
					_, err = repos[i%2].Adopt(t.Context(), "worker456")
				case i < 7:
					_, err = repos[i%2].Update(t.Context(), "worker456", edit(func(p *people.Profile) {
						p.Work.ResponseTime++
						p.Work.Skills = append(p.Work.Skills, fmt.Sprint("skill", round, i))
					}))
					if err == nil {
						acknowledged.Add(1)
					}
				default:
					_, err = repos[i%2].VerifyPhone(t.Context(), "worker456", "+27823456789")
				}
				if !errors.Is(err, dynastay.ErrOutcomeUnknown) {
					assert.NoError(t, err)
				}
			})
		}
		wg.Wait()
		p := n.profile("worker456")
		made := p.Work.ResponseTime - 120
		assert.GreaterOrEqual(t, made, int(acknowledged.Load()))
		assert.Len(t, p.Work.Skills, 3+made)
		assert.NotEmpty(t, p.WriteID)
		n.followed("worker456")
		found, err := n.repo.ByPhone(t.Context(), "+27823456789")
		require.NoError(t, err)
		assert.Equal(t, p, found)
	}
}
