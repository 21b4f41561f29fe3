package property

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// opinions are reviews of the hotel that other software has stored, which many moderate and vote for.
type opinions struct {
	*checker.Run
	hotel           string // its id
	voters, decided checker.Repeats

	mu     sync.Mutex
	votes  []*ballot
	drawn  int                    // keys of votes
	edited map[string][]*revision // by review
	minds  map[string]*mind       // by review and user
}

type ballot struct {
	review, user string
	verdict      func() checker.Verdict
}

// revision is a decision or a change for one version of a review.
type revision struct {
	version int
	verdict func() checker.Verdict
}

const (
	opinionCount = 8
	disputed     = 3 // further reviews, which are approved from the start and have the vote of one user, or not
)

// scopes are those of the keys of votes: the same key in each of them is another one.
var scopes = []string{"votes", "votes ", " votes"}

func newOpinions(c *checker.Run, hotel string) *opinions {
	s := &opinions{Run: c, hotel: hotel, edited: map[string][]*revision{}, minds: map[string]*mind{}}
	for i := range opinionCount + disputed {
		id := fmt.Sprint("rev_", i)
		item := dynastay.Item{
			"PK": dynastay.Text("REVIEW#" + id), "SK": dynastay.Text("METADATA"), "EntityType": dynastay.Text("Review"),
			"ReviewId": dynastay.Text(id), "BookingId": dynastay.Text("bkg_" + id), "UserId": dynastay.Text("author"),
			"PropertyId": dynastay.Text(hotel), "OverallRating": dynastay.Number(1 + i%10), "Status": dynastay.Text("pending"),
			"CreatedAt": dynastay.Text("2026-06-01T00:00:00Z"),
		}
		require.NoError(c.T, c.Base.Direct.PutAll(c.T.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			yield(keys.ReviewsTable, item)
		}))
		if i >= opinionCount {
			_, err := reviews.New(c.Base.Direct, properties.New(c.Base.Direct, nil), nil).Approve(c.T.Context(), id, 0)
			require.NoError(c.T, err)
			s.edited[id] = []*revision{{verdict: func() checker.Verdict { return checker.Acknowledged }}}
		}
	}
	return s
}

// notNow is the refusal because of the status or the version of a review.
var notNow = checker.Refusal(func(err error) bool {
	var status *reviews.StatusError
	return errors.As(err, &status) || errors.Is(err, dynastay.ErrVersion)
})

func (s *opinions) Step(w *checker.Worker) {
	id := fmt.Sprint("rev_", w.Rand.IntN(opinionCount))
	switch w.Rand.IntN(6) {
	case 0:
		s.voters.Repeat(w, func() *checker.Once {
			b := s.ballot(w, id)
			o := &checker.Once{Key: s.key(), Name: "vote once", Items: b.review, About: b.user, Refusal: notNow}
			o.Send = func(ctx context.Context, p *checker.Process) error {
				return editorOf(p).reviews.Vote(ctx, b.review, b.user, o.Key)
			}
			b.verdict = o.Verdict
			return o
		})
	case 1:
		b := s.ballot(w, id)
		v := w.Call("vote", id, b.user, notNow, func(ctx context.Context) error { return editorOf(w).reviews.Vote(ctx, id, b.user) })
		s.mu.Lock()
		defer s.mu.Unlock()
		b.verdict = func() checker.Verdict { return v }
	case 2, 3:
		s.waver(w)
	default:
		s.moderate(w, id)
	}
}

// key is one that no other vote has, but for white space around its scope.
func (s *opinions) key() dynastay.Idempotency {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.drawn
	s.drawn++
	return dynastay.IdempotencyKey(fmt.Sprint(n / len(scopes))).Of(scopes[n%len(scopes)])
}

// mind is what one user was told who votes for a review and takes the vote back.
type mind struct{ voted, unvoted checker.Tally }

// waver casts the vote of a user and takes it back at the same time, each of them twice, in any of the processes. The
// review has no other votes, so the count is often 0.
func (s *opinions) waver(w *checker.Worker) {
	const user = "fickle"
	id := fmt.Sprint("rev_", opinionCount+w.Rand.IntN(disputed))
	s.mu.Lock()
	m := s.minds[id+" "+user]
	if m == nil {
		m = new(mind)
		s.minds[id+" "+user] = m
	}
	s.mu.Unlock()
	var all sync.WaitGroup
	do := func(name string, told *checker.Tally, mayRefuse error, f func(context.Context, *checker.Process) error) {
		caller := w.Elsewhere()
		ctx, cancel := w.Deadline()
		all.Go(func() {
			defer cancel()
			v := caller.CallIn(ctx, name, id, user, checker.RefusedBy(mayRefuse), func(ctx context.Context) error { return f(ctx, caller.Process) })
			s.mu.Lock()
			defer s.mu.Unlock()
			told[v]++
		})
	}
	for range 2 {
		do("unvote", &m.unvoted, dynastay.ErrNotFound, func(ctx context.Context, p *checker.Process) error { return editorOf(p).reviews.Unvote(ctx, id, user) })
		do("vote again", &m.voted, dynastay.ErrAlreadyExists, func(ctx context.Context, p *checker.Process) error { return editorOf(p).reviews.Vote(ctx, id, user) })
	}
	all.Wait()
}

// may reports whether the vote can be there, or not: each vote that was cast is there or was taken back.
func (m *mind) may(there bool) bool {
	left := 0
	if there {
		left = 1
	}
	least := m.voted[checker.Acknowledged] - m.unvoted[checker.Acknowledged] - m.unvoted[checker.Unknown]
	return least <= left && left <= m.voted[checker.Acknowledged]+m.voted[checker.Unknown]-m.unvoted[checker.Acknowledged]
}

func (s *opinions) ballot(w *checker.Worker, review string) *ballot {
	b := &ballot{review: review, user: w.Mark()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.votes = append(s.votes, b)
	return b
}

// moderate approves, rejects or changes a review as the worker has just read it, half of the times under a key.
func (s *opinions) moderate(w *checker.Worker, id string) {
	var seen *reviews.Review
	if w.Call("read a review", id, "", checker.Never, func(ctx context.Context) (err error) {
		seen, err = editorOf(w).reviews.Get(ctx, id, dynastay.Consistent)
		return err
	}) != checker.Acknowledged {
		return
	}
	mark, e := w.Mark(), &revision{version: seen.Version}
	rating := dynastay.Rating(10 + w.Rand.IntN(91)) // drawn once: another worker may repeat the change
	change := func(v *reviews.Review) error {
		v.Title, v.Ratings.Overall = mark, rating
		return nil
	}
	op := []func(*reviews.Repository) dynastay.Part{
		func(r *reviews.Repository) dynastay.Part { return r.ApproveOp(id, seen.Version) },
		func(r *reviews.Repository) dynastay.Part { return r.RejectOp(id, seen.Version, mark) },
		func(r *reviews.Repository) dynastay.Part {
			return r.UpdateOp(id, change, dynastay.IfVersion(seen.Version), dynastay.AgreedOn(mark))
		},
	}[w.Rand.IntN(3)]
	s.mu.Lock()
	s.edited[id] = append(s.edited[id], e)
	s.mu.Unlock()
	if w.OneIn(2) {
		s.decided.Repeat(w, func() *checker.Once {
			o := &checker.Once{Key: dynastay.IdempotencyKey(mark).Of("reviews"), Name: "moderate once", Items: id, About: mark, Refusal: notNow}
			o.Send = func(ctx context.Context, p *checker.Process) error {
				return p.Write(ctx, op(editorOf(p).reviews), o.Key)
			}
			e.verdict = o.Verdict
			return o
		})
		if e.verdict != nil {
			return
		}
		e.verdict = func() checker.Verdict { return checker.Refused } // an earlier one was repeated instead
		return
	}
	v := w.Call("moderate", id, mark, notNow, func(ctx context.Context) error { return w.Write(ctx, op(editorOf(w).reviews)) })
	e.verdict = func() checker.Verdict { return v }
}

func (s *opinions) Settle(w *checker.Worker) {
	s.voters.Settle(w)
	s.decided.Settle(w)
}

func (s *opinions) Check() {
	all, votes := map[string]plain{}, map[string]bool{}
	counted := map[string]float64{}
	for _, p := range s.Scan(keys.ReviewsTable) {
		if id, isReview := strings.CutPrefix(p["PK"].(string), "REVIEW#"); !isReview {
			continue // the guard of a booking
		} else if p["SK"] == "METADATA" {
			all[id] = p
		} else {
			votes[id+" "+p["UserId"].(string)] = true
			counted[id]++
		}
	}
	for _, b := range s.votes {
		if v, there := b.verdict(), votes[b.review+" "+b.user]; there && v == checker.Refused || !there && v == checker.Acknowledged {
			s.Differ("a vote that was answered otherwise", b.review, "%s: %s, %v", b.user, v, there)
		}
	}
	for of, m := range s.minds {
		if !m.may(votes[of]) {
			s.Differ("a vote that comes and goes was answered otherwise", strings.Fields(of)[0], "%s: %+v, %v", of, *m, votes[of])
		}
	}
	reviewed, tenths := 0, 0
	for id, p := range all {
		if n, _ := p["HelpfulCount"].(float64); n != counted[id] {
			s.Differ("votes do not add up", id, "%v of %v", n, counted[id])
		}
		if p["Status"] == "approved" {
			reviewed++
			tenths += int(math.Round(10 * p["OverallRating"].(float64)))
		}
		if p["Version"] == nil {
			continue // nobody has written it: it has no index keys, as other software left it
		}
		if listed := p["GSI1PK"] != nil; listed != (p["Status"] == "approved") || (p["GSI3PK"] != nil) != (p["Status"] == "pending") {
			s.Differ("a review in a wrong list", id, "%v", p)
		}
		s.checkVersions(id, p)
	}
	for _, p := range s.Scan(keys.PropertiesTable) {
		if p["PK"] == "PROPERTY#"+s.hotel && p["SK"] == "METADATA" {
			n, _ := p["ReviewCount"].(float64)
			sum, _ := p["RatingSum"].(float64)
			if int(n) != reviewed || int(math.Round(10*sum)) != tenths {
				s.Differ("the rating of a property is not that of its reviews", s.hotel, "%v of %v, and not %d of %d", sum, n, tenths, reviewed)
			}
		}
	}
}

// checkVersions: of the edits for one version, one was made, and each that was made has made the next version.
func (s *opinions) checkVersions(id string, p plain) {
	made, maybe, taken := 0, 0, map[int]bool{}
	for _, e := range s.edited[id] {
		switch e.verdict() {
		case checker.Acknowledged:
			if made++; taken[e.version] {
				s.Differ("two edits of one version", id, "%d", e.version)
			}
			taken[e.version] = true
		case checker.Unknown:
			maybe++
		}
	}
	if version, _ := p["Version"].(float64); int(version) < made || int(version) > made+maybe {
		s.Differ("edits that were answered otherwise", id, "version %v after %d to %d", version, made, made+maybe)
	}
}
