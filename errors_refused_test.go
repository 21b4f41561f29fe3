package dynastay_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	changes "github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	trust "github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/observe/measure"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// refusals is one of each error that matches ErrRefused, by package and name.
var refusals = map[string]error{
	"dynastay.ErrRefused": dynastay.ErrRefused,

	"availability.Refused": &availability.Refused{}, "availability.SoldAheadError": &availability.SoldAheadError{}, "availability.OpenAheadError": &availability.OpenAheadError{},
	"availability.SoldError": &availability.SoldError{}, "availability.LimitsError": &availability.LimitsError{},
	"availability.ErrRatesFull": availability.ErrRatesFull, "availability.ErrMixedCurrencies": availability.ErrMixedCurrencies,
	"availability.ErrNotOpen": availability.ErrNotOpen, "availability.ErrPast": availability.ErrPast,
	"availability.ErrClosed": availability.ErrClosed, "availability.ErrReopened": availability.ErrReopened,
	"availability.ErrSuspended": availability.ErrSuspended,

	"listing.Taken": &listing.Taken{}, "listing.RevisionError": &listing.RevisionError{}, "listing.ShrunkError": &listing.ShrunkError{},
	"listing.ErrImported": listing.ErrImported, "listing.ErrOutdated": listing.ErrOutdated,

	"units.TakenError": &units.TakenError{}, "units.ErrRetired": units.ErrRetired, "units.ErrOtherRoomType": units.ErrOtherRoomType,
	"units.ErrOutOfOrderEnded": units.ErrOutOfOrderEnded, "units.ErrOutOfOrderFull": units.ErrOutOfOrderFull,

	"bookings.Refused": &bookings.Refused{}, "bookings.StatusError": &bookings.StatusError{}, "bookings.PolicyError": &bookings.PolicyError{},
	"bookings.UpcomingError": &bookings.UpcomingError{},
	"bookings.ErrHoldEnded":  bookings.ErrHoldEnded, "bookings.ErrHoldOpen": bookings.ErrHoldOpen,
	"bookings.ErrTooEarly": bookings.ErrTooEarly, "bookings.ErrTooLate": bookings.ErrTooLate, "bookings.ErrAnonymised": bookings.ErrAnonymised,
	"bookings.ErrStillExpected": bookings.ErrStillExpected, "bookings.ErrAnotherDay": bookings.ErrAnotherDay, "bookings.ErrReleased": bookings.ErrReleased,
	"bookings.ErrNotOverdue": bookings.ErrNotOverdue, "bookings.ErrAlwaysChanges": bookings.ErrAlwaysChanges,
	"bookings.PaymentError":      &bookings.PaymentError{Err: bookings.ErrNotPaid},
	"bookings.ErrPaymentDiffers": bookings.ErrPaymentDiffers, "bookings.ErrNotPaid": bookings.ErrNotPaid,
	"bookings.ErrOverRefund":   bookings.ErrOverRefund,
	"bookings.PromoError":      &bookings.PromoError{Err: bookings.ErrPromoEnded},
	"bookings.ErrPromoUnknown": bookings.ErrPromoUnknown, "bookings.ErrPromoInactive": bookings.ErrPromoInactive,
	"bookings.ErrPromoNotYet": bookings.ErrPromoNotYet, "bookings.ErrPromoEnded": bookings.ErrPromoEnded,
	"bookings.ErrPromoUsedUp": bookings.ErrPromoUsedUp, "bookings.ErrPromoMinimum": bookings.ErrPromoMinimum,
	"bookings.ErrPromoCurrency": bookings.ErrPromoCurrency,

	"venue.SlotTaken": &venue.SlotTaken{}, "venue.StatusError": &venue.StatusError{}, "venue.ErrPast": venue.ErrPast,
	"venue.ErrNoSlot": venue.ErrNoSlot, "venue.ErrOfBooking": venue.ErrOfBooking, "venue.ErrNotAllowed": venue.ErrNotAllowed,

	"properties.StatusError": &properties.StatusError{}, "properties.OwnerError": &properties.OwnerError{},
	"properties.ErrForeign": properties.ErrForeign,
	"search.ErrTooFew":      search.ErrTooFew, "search.ErrTooLong": search.ErrTooLong,

	"reviews.BookingError": &reviews.BookingError{Err: reviews.ErrNotOver}, "reviews.StatusError": &reviews.StatusError{},
	"reviews.ErrNoBooking": reviews.ErrNoBooking, "reviews.ErrOtherUser": reviews.ErrOtherUser,
	"reviews.ErrOtherProperty": reviews.ErrOtherProperty, "reviews.ErrOtherStay": reviews.ErrOtherStay,
	"reviews.ErrNotOver": reviews.ErrNotOver, "reviews.ErrNotStayed": reviews.ErrNotStayed, "reviews.ErrOwnReview": reviews.ErrOwnReview,

	"users.PointsError": &users.PointsError{}, "users.ErrErased": users.ErrErased, "users.ErrReasonUsed": users.ErrReasonUsed,
	"users.ErrReversed": users.ErrReversed,

	"projects.StatusError": &projects.StatusError{}, "projects.BidStatusError": &projects.BidStatusError{},
	"projects.QuoteError": &projects.QuoteError{}, "projects.ErrNotParty": projects.ErrNotParty,
	"reviews.PartyError": &trust.PartyError{},
	"shop.Refused":       &shop.Refused{}, "shop.StatusError": &shop.StatusError{}, "shop.PaymentError": &shop.PaymentError{},
	"shop.ErrNotParty":          shop.ErrNotParty,
	"tracker.ErrSnapshotNeeded": tracker.ErrSnapshotNeeded,
}

// others is one of each error that is no refusal.
var others = map[string]error{
	"dynastay.ErrNotFound": dynastay.ErrNotFound, "dynastay.ErrAlreadyExists": dynastay.ErrAlreadyExists,
	"dynastay.ErrVersion": dynastay.ErrVersion, "dynastay.ErrContention": dynastay.ErrContention,
	"dynastay.ErrThrottled": dynastay.ErrThrottled, "dynastay.ErrUnavailable": dynastay.ErrUnavailable,
	"dynastay.ErrRejected": dynastay.ErrRejected, "dynastay.ErrSkew": dynastay.ErrSkew, "dynastay.ErrInvalid": dynastay.ErrInvalid, "dynastay.ErrCursor": dynastay.ErrCursor,
	"dynastay.ErrIdempotencyMismatch": dynastay.ErrIdempotencyMismatch, "dynastay.ErrOutcomeUnknown": dynastay.ErrOutcomeUnknown,
	"dynastay.ErrCommitted": dynastay.ErrCommitted, "dynastay.ErrCorrupt": dynastay.ErrCorrupt,
	"dynastay.ErrOvertaken": dynastay.ErrOvertaken, "dynastay.ErrSkip": dynastay.ErrSkip,
	"provision.TableError": &provision.TableError{},
	"dynastay.Error":       &dynastay.Error{}, "dynastay.InvalidError": &dynastay.InvalidError{},
	"dynastay.TooLargeError": &dynastay.TooLargeError{}, "dynastay.UnreadableError": &dynastay.UnreadableError{},

	"availability.ErrTooSmall": availability.ErrTooSmall, "availability.UpdateError": &availability.UpdateError{},
	"listing.IncompleteError": &listing.IncompleteError{Err: &listing.Taken{}},
	"ical.IncompleteError":    &ical.IncompleteError{}, "ical.TooLargeError": &ical.TooLargeError{},
	"bookings.ErrOldQuote": bookings.ErrOldQuote,
	"offer.ErrExpired":     offer.ErrExpired, "offer.ErrOtherUser": offer.ErrOtherUser, "offer.ErrPurpose": offer.ErrPurpose,
	"offer.ErrMalformed": offer.ErrMalformed, "offer.ErrUnknownVersion": offer.ErrUnknownVersion,
	"offer.ErrUnknownKey": offer.ErrUnknownKey, "offer.ErrForged": offer.ErrForged,
	"users.ErrEmailSecret": users.ErrEmailSecret,
	"stream.ErrPermanent":  stream.ErrPermanent,
	"migrate.ErrBudget":    migrate.ErrBudget, "migrate.ErrDryRun": migrate.ErrDryRun,
	"migrate.InvalidLinesError": &migrate.InvalidLinesError{}, "entity.DifferentError": &entity.DifferentError{}, "migrate.LineError": migrate.LineError{Err: dynastay.ErrInvalid},
	"bookings.NightsError": &bookings.NightsError{}, "bookings.UnitsError": &bookings.UnitsError{},
	"consumer.Error": &changes.Error{}, "consumer.TrimmedError": &changes.TrimmedError{}, "consumer.ErrLeaseLost": changes.ErrLeaseLost,
}

func TestRefusalsHaveAKindInCommon(t *testing.T) {
	for name, err := range refusals {
		assert.ErrorIs(t, err, dynastay.ErrRefused, name)
		assert.True(t, measure.Answer(err), name)
	}
	for name, err := range others {
		assert.NotErrorIs(t, err, dynastay.ErrRefused, name)
	}
	all := map[string]error{}
	for _, kinds := range []map[string]error{refusals, others} {
		for name, err := range kinds {
			if _, value, _ := strings.Cut(name, "."); strings.HasPrefix(value, "Err") {
				all[name] = err
			}
		}
	}
	for name, err := range all {
		for other, kind := range all {
			assert.Equal(t, name == other || other == "dynastay.ErrRefused" && refusals[name] != nil, errors.Is(err, kind), "%s is %s", name, other)
		}
	}
	assert.EqualError(t, dynastay.Refusal("it is full"), "it is full")
}

// pageRows are the errors that a page has a row for, each with whether the row is about refusals.
func pageRows(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	found, heading := map[string]bool{}, ""
	quoted := regexp.MustCompile("`\\*?([a-z]+\\.[A-Z]\\w+)`")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			heading = line
		}
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			assert.NotContains(t, found, name[1], "%s has two rows for it", page)
			assert.Regexp(t, `^(\d{3}|—)$`, cells[1], "%s: the status of %s", page, name[1])
			found[name[1]] = strings.Contains(heading, "Refusals") || name[1] == "dynastay.ErrRefused"
		}
	}
	return found
}

// A new error needs a kind, a row that says what a service does with it, and a value above.
func TestErrorsPageIsComplete(t *testing.T) {
	declared := map[string]map[string]bool{"docs/errors.md": {}, "examples/marketplace/README.md": {}, "examples/traveltracker/README.md": {}}
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return filepath.SkipDir // a module of its own
			}
			if name := entry.Name(); name == "internal" || name == "testdata" || name != "." && name[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		page := "docs/errors.md"
		if parts := strings.Split(path, string(filepath.Separator)); parts[0] == "examples" {
			page = "examples/" + parts[1] + "/README.md"
		}
		for _, name := range errorsOf(file) {
			require.Contains(t, declared, page)
			declared[page][file.Name.Name+"."+name] = true
		}
		return nil
	}))
	total := 0
	for page, names := range declared {
		have := pageRows(t, page)
		for name := range names {
			assert.Contains(t, have, name, "%s needs a row for it", page)
			_, refused := refusals[name]
			_, other := others[name]
			assert.True(t, refused != other, "%s must be either in refusals or in others", name)
			assert.Equal(t, refused, have[name], "%s: the table that has %s", page, name)
		}
		for name := range have {
			assert.Contains(t, names, name, "%s has a row for an error that does not exist", page)
		}
		total += len(names)
	}
	assert.Len(t, refusals, total-len(others), "nothing else is in the lists above")
}

// errorsOf returns the exported values and types of a file that are errors.
func errorsOf(file *ast.File) (names []string) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "Error" || d.Recv == nil {
				continue
			}
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if of, ok := receiver.(*ast.Ident); ok && of.IsExported() {
				names = append(names, of.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if d.Tok == token.VAR && strings.HasPrefix(name.Name, "Err") {
							names = append(names, name.Name)
						}
					}
				case *ast.TypeSpec: // another name of an error of another package
					if of, ok := s.Type.(*ast.SelectorExpr); ok && s.Assign.IsValid() && (of.Sel.Name == "Refused" || strings.HasSuffix(of.Sel.Name, "Error")) {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	return names
}
