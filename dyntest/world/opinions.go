package world

import (
	"context"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/reviews"
)

// The shares are those before what would happen after Today is left out.
const (
	reviewPercent  = 64 // of the guests write a review
	longestSilence = 10 // days between check-out and review
	longestQueue   = 48 // hours between a review and its moderation
	respondPercent = 43 // of the approved reviews have a response
	// ratedPercent is the chance that the guest gives one of the ratings besides the overall one.
	ratedPercent = 85
	titlePercent = 85
	prosPercent  = 60
	consPercent  = 45
)

var (
	decisions  = []share[reviews.Status]{{81, reviews.Approved}, {8, reviews.Rejected}, {11, reviews.Pending}}
	voteCounts = []share[int]{{46, 0}, {22, 1}, {14, 2}, {9, 3}, {5, 4}, {4, 5}}
)

// opinion is the plan of a review and of what follows from it.
type opinion struct {
	review    reviews.Review
	at        time.Time
	decision  reviews.Status // that the review has in the end
	decided   time.Time
	reason    string            // of a rejection
	response  *reviews.Response // nil for none
	responded time.Time
	votes     []vote
}

// vote says that a user finds a review helpful.
type vote struct {
	user string
	at   time.Time
}

// opinions plans the reviews of the i-th hotel's past stays, in the order of the stays. All that happens to them
// happens before Today.
func (w *World) opinions(i int, h *house, stays []sale) (all []opinion) {
	d := w.dice(forReviews, i)
	level := d.between(58, 90) + h.property.Stars
	for _, s := range stays {
		if s.status != bookings.Completed || !d.percent(reviewPercent) {
			continue
		}
		at := s.left.Add(seconds(d.between(6*60*60, longestSilence*24*60*60)))
		if !at.Before(w.opts.Today.Time()) {
			continue
		}
		o := opinion{review: w.write(d, h, s, level), at: at}
		w.moderate(d, &o)
		if o.decision == reviews.Approved {
			w.react(d, h, &o, s.booker)
		}
		all = append(all, o)
	}
	return all
}

// write plans what a guest says about a stay.
func (w *World) write(d dice, h *house, s sale, level int) reviews.Review {
	guest, _ := w.person(s.booker)
	r := reviews.Review{
		ID: reviewID(s.id), BookingID: s.id, UserID: guest.ID, PropertyID: h.property.ID, StayDate: w.stay(s).CheckIn,
		GuestName: guest.FirstName + " " + string([]rune(guest.LastName)[:1]) + ".", GuestCountry: guest.Country,
		TripType: journey(d, s),
	}
	r.Ratings.Overall = rate(level + d.between(-14, 12))
	for _, rating := range []*dynastay.Rating{
		&r.Ratings.Cleanliness, &r.Ratings.Comfort, &r.Ratings.Location, &r.Ratings.Facilities, &r.Ratings.Staff, &r.Ratings.Value,
	} {
		if d.percent(ratedPercent) {
			*rating = rate(int(r.Ratings.Overall) + d.between(-12, 12))
		}
	}
	say(d, &r)
	return r
}

// rate returns a rating that a guest can give. No level is so low that a rating would be below the lowest one.
func rate(tenths int) dynastay.Rating { return min(dynastay.Rating(tenths), dynastay.MaxRating) }

// journey returns the kind of journey that fits the guests.
func journey(d dice, s sale) reviews.TripType {
	work := d.percent(30)
	switch adults := s.guests.Adults; {
	case s.guests.Children > 0:
		return reviews.Family
	case adults == 1 && work:
		return reviews.Business
	case adults == 1:
		return reviews.Solo
	case adults == 2:
		return reviews.Couple
	}
	return reviews.Group
}

// moderate plans the decision about a review. It is still pending at Now if it would be decided later.
func (w *World) moderate(d dice, o *opinion) {
	o.decision, o.reason = draw(d, decisions), pick(d, rejections)
	o.decided = o.at.Add(time.Duration(d.between(10, longestQueue*60)) * time.Minute)
	if !o.decided.Before(w.opts.Today.Time()) {
		o.decision = reviews.Pending
	}
}

// react plans the response to an approved review, and its votes by other users. They vote in the last days, so that all
// of them have joined.
func (w *World) react(d dice, h *house, o *opinion, author int) {
	today := w.opts.Today.Time()
	o.responded = o.decided.Add(seconds(d.between(60*60, 7*24*60*60)))
	answers := d.percent(respondPercent)
	response := reviews.Response{
		ReviewID: o.review.ID, ResponderID: h.property.OwnerID, ResponderName: pick(d, responders),
		Text: pick(d, moodOf(o.review.Ratings.Overall).responses),
	}
	if answers && o.responded.Before(today) {
		o.response = &response
	}
	from := today.Add(-days(bookingDays))
	if o.decided.After(from) {
		from = o.decided
	}
	others := w.opts.Users - 1
	first := d.below(others)
	for n := range draw(d, voteCounts) {
		at := from.Add(seconds(d.below(int(today.Sub(from) / time.Second))))
		if n < others {
			user := userID((author + 1 + (first+n)%others) % w.opts.Users)
			o.votes = append(o.votes, vote{user, at})
		}
	}
}

// carryOut lets the repository write the review and what follows from it. It passes each time to clock first.
func (o opinion) carryOut(ctx context.Context, repo *reviews.Repository, clock func(time.Time)) error {
	clock(o.at)
	made, err := repo.Create(ctx, o.review)
	if err != nil {
		return err
	}
	clock(o.decided)
	switch o.decision {
	case reviews.Approved:
		_, err = repo.Approve(ctx, made.ID, made.Version)
	case reviews.Rejected:
		_, err = repo.Reject(ctx, made.ID, made.Version, o.reason)
	}
	if err == nil && o.response != nil {
		clock(o.responded)
		_, err = repo.Respond(ctx, *o.response)
	}
	for _, v := range o.votes {
		if err != nil {
			break
		}
		clock(v.at)
		err = repo.Vote(ctx, made.ID, v.user)
	}
	if err != nil {
		return fmt.Errorf("world: review %s: %w", made.ID, err)
	}
	return nil
}

// readReviews lets the repository read the reviews, with their responses. Who has voted follows from the plan.
func (c *cell) readReviews(ctx context.Context, of []opinion) (all []*reviews.Review, votes map[string][]string, err error) {
	repo := reviews.New(c.open(shown{&c.capture}), nil, nil)
	votes = map[string][]string{}
	for _, o := range of {
		review, err := repo.Get(ctx, o.review.ID)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, review)
		for _, v := range o.votes {
			votes[review.ID] = append(votes[review.ID], v.user)
		}
	}
	return all, votes, nil
}
