package users

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// Tier is a level of the loyalty programme.
type Tier string

// The tiers of [DefaultTiers].
const (
	Bronze   Tier = "bronze"
	Silver   Tier = "silver"
	Gold     Tier = "gold"
	Platinum Tier = "platinum"
)

// TierFrom is a tier, with the number of lifetime points from which a user has it.
type TierFrom struct {
	Tier   Tier
	Points int
}

// DefaultTiers are the tiers if [Options.Tiers] is not set.
var DefaultTiers = []TierFrom{{Bronze, 0}, {Silver, 1_000}, {Gold, 5_000}, {Platinum, 20_000}}

// checkTiers panics if the tiers of [Options] are wrong.
func checkTiers(tiers []TierFrom) {
	for i, t := range tiers {
		wrong := ""
		switch {
		case t.Tier == "":
			wrong = "must have a name"
		case slices.ContainsFunc(tiers[:i], func(other TierFrom) bool { return other.Tier == t.Tier }):
			wrong = "has a name that appears more than once"
		case i == 0 && t.Points != 0:
			wrong = fmt.Sprintf("must begin at 0 points, got %d", t.Points)
		case i > 0 && t.Points <= tiers[i-1].Points:
			wrong = fmt.Sprintf("must begin at more points than the tier before it, got %d", t.Points)
		}
		if wrong != "" {
			panic(fmt.Sprintf("users.New: Options.Tiers[%d] %s", i, wrong))
		}
	}
}

// Loyalty is the loyalty account of a user.
type Loyalty struct {
	UserID         string
	Points         int // that can be redeemed
	LifetimePoints int // all that were earned and not taken back
	Tier           Tier
	TierSince      time.Time `json:",omitzero"`
	UpdatedAt      time.Time `json:",omitzero"`
}

var loyaltyEntity = entity.New(entity.Spec[Loyalty]{
	Name: "Loyalty", Operations: "users", Schema: keys.UsersTable,
	Key:  func(l *Loyalty) (dynastay.Key, error) { return keys.Of(keys.Loyalty{UserID: l.UserID}) },
	IDOf: userOf,
	Codec: entity.Declare(func(f *entity.Fields, l *Loyalty) {
		f.Const(keys.AttrEntityType, "LoyaltyPoints")
		f.String("UserId", &l.UserID)
		f.Int("Points", &l.Points)
		entity.String(f, "Tier", &l.Tier)
		f.Time("TierSince", &l.TierSince)
		f.Int("LifetimePoints", &l.LifetimePoints)
		f.Time("UpdatedAt", &l.UpdatedAt)
	}),
})

// move adds points to the account, or subtracts them if points is negative.
func (l *Loyalty) move(points int, tiers []TierFrom, now time.Time) error {
	if points < 0 && l.Points < -points {
		return &PointsError{UserID: l.UserID, Points: -points, Balance: l.Points}
	}
	earned := max(points, 0)
	if l.Points > math.MaxInt-earned || l.LifetimePoints > math.MaxInt-earned { // stored by other software
		return &dynastay.Error{Entity: "Loyalty", ID: l.UserID, Field: "Points", Kind: dynastay.ErrCorrupt, Err: errTooMany}
	}
	before := rankAt(tiers, l.LifetimePoints)
	l.Points += points
	l.LifetimePoints += earned
	l.UpdatedAt = now // not by the entity: it is the time of the entry
	reached := rankAt(tiers, l.LifetimePoints)
	if l.Tier == "" || reached > before && reached > rankOf(tiers, l.Tier) {
		l.Tier, l.TierSince = tiers[reached].Tier, now
	}
	return nil
}

// record moves the points of a new entry, and sets its balance and the tier that it reaches.
func (l *Loyalty) record(e *LoyaltyEntry, tiers []TierFrom) error {
	before := cmp.Or(l.Tier, tiers[0].Tier)
	if err := l.move(e.Points, tiers, e.CreatedAt); err != nil {
		return err
	}
	e.Balance = l.Points
	if l.Tier != before {
		e.TierReached = l.Tier
	}
	return nil
}

// reverse takes back points that were added, or subtracted if points is negative.
func (l *Loyalty) reverse(points int, now time.Time) error {
	if l.Points < points {
		return &PointsError{UserID: l.UserID, Points: points, Balance: l.Points}
	}
	if points < 0 && l.Points > math.MaxInt+points { // stored by other software
		return &dynastay.Error{Entity: "Loyalty", ID: l.UserID, Field: "Points", Kind: dynastay.ErrCorrupt, Err: errTooMany}
	}
	l.Points, l.UpdatedAt = l.Points-points, now
	l.LifetimePoints = max(l.LifetimePoints-max(points, 0), 0)
	return nil
}

// ErrReasonUsed: points have been moved for the reason before, but not the same number of points.
var ErrReasonUsed = dynastay.Refusal("the reason was used for a different movement")

// ErrReversed: the movement was reversed, see [Repository.Reverse].
var ErrReversed = dynastay.Refusal("the movement was reversed")

var errTooMany = errors.New("is too large to add points to")

// rankAt returns the position of the tier that a number of lifetime points gives.
func rankAt(tiers []TierFrom, points int) int {
	rank := 0
	for i, t := range tiers {
		if points >= t.Points {
			rank = i
		}
	}
	return rank
}

// rankOf returns the position of a tier, or -1 if it is unknown.
func rankOf(tiers []TierFrom, tier Tier) int {
	return slices.IndexFunc(tiers, func(t TierFrom) bool { return t.Tier == tier })
}

// LoyaltyEntry is one movement of a loyalty account. The points of an account are the sum of the entries that were not
// reversed, if other software has not moved any.
type LoyaltyEntry struct {
	UserID    string
	ReasonID  string
	Points    int // negative if they were redeemed
	Balance   int // the account's points after the movement
	Note      string
	CreatedAt time.Time `json:",omitzero"`
	// TierReached is the tier that the movement took the user to; "" if the tier stayed the same.
	TierReached Tier
	ReversedAt  time.Time `json:",omitzero"` // zero if the movement was not reversed
}

var entryEntity = entity.New(entity.Spec[LoyaltyEntry]{
	Name: "LoyaltyEntry", Operations: "users", Schema: keys.UsersTable,
	Key: func(e *LoyaltyEntry) (dynastay.Key, error) {
		return keys.Of(keys.LoyaltyEntry{UserID: e.UserID, ReasonID: e.ReasonID})
	},
	IDOf: func(k dynastay.Key) string { return strings.TrimPrefix(k.SK, keys.SortKind[keys.LoyaltyEntry]()) },
	Codec: entity.Declare(func(f *entity.Fields, e *LoyaltyEntry) {
		f.Const(keys.AttrEntityType, "LoyaltyEntry")
		f.String("UserId", &e.UserID)
		f.String("ReasonId", &e.ReasonID)
		f.Int("Points", &e.Points)
		f.Int("Balance", &e.Balance)
		f.String("Note", &e.Note)
		f.Time("CreatedAt", &e.CreatedAt)
		entity.String(f, "TierReached", &e.TierReached)
		f.Time("ReversedAt", &e.ReversedAt)
	}),
})

// MaxPoints is the maximum number of points of one [Movement].
const MaxPoints = 1_000_000_000

// Movement is a number of points that a user earns or redeems.
type Movement struct {
	UserID string
	// ReasonID identifies the reason, such as the id of the booking for which the points are earned. The points of one
	// reason are moved only once.
	ReasonID string
	Points   int // positive, also if they are redeemed
	Note     string
}

// Validate requires valid ids, 1 to [MaxPoints] points, and a note of at most [entity.MaxNote] bytes.
func (m *Movement) Validate() error {
	if _, err := keys.Of(keys.LoyaltyEntry{UserID: m.UserID, ReasonID: m.ReasonID}); err != nil {
		return err
	}
	if m.Points < 1 || m.Points > MaxPoints {
		return dynastay.Invalid("Points", "must be between 1 and 1,000,000,000, got %d", m.Points)
	}
	return dynastay.Within("Note", entity.CheckText(m.Note, entity.MaxNote))
}

// PointsError is the refusal to redeem, or to take back, more points than the account has. Nothing was written.
type PointsError struct {
	UserID  string
	Points  int // to be redeemed or taken back
	Balance int // of the account
}

// Error names the user, the points and the balance.
func (e *PointsError) Error() string {
	return fmt.Sprintf("loyalty account of %s: %d points exceed the balance of %d",
		shown.Masked(e.UserID), e.Points, e.Balance)
}

// Is makes it match [dynastay.ErrRefused].
func (*PointsError) Is(target error) bool { return target == dynastay.ErrRefused }
