package venue

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Repository reads and writes everything of a venue.
type Repository struct {
	db            *dynastay.DB
	zone          *time.Location
	user          *entity.Entity[User]
	booking       *entity.Entity[Booking]
	event         *entity.Entity[Event]
	code          *entity.Entity[LockCode]
	payment       *entity.Entity[Payment]
	users         *entity.Table[User]
	bookings      *entity.Table[Booking]
	events        *entity.Table[Event]
	payments      *entity.Table[Payment]
	notifications *entity.Table[Notification]
	codes         *entity.Table[LockCode]
	entries       *entity.Table[AuditEntry]
}

// Options configure [New].
type Options struct {
	// TimeZone is that of the venue. It determines which day is today. Default: UTC.
	TimeZone *time.Location
}

// New returns a repository. It sends no requests. A nil opts means the defaults. Create one for the process and share
// it.
func New(db *dynastay.DB, opts *Options) *Repository {
	zone := time.UTC
	if opts != nil && opts.TimeZone != nil {
		zone = opts.TimeZone
	}
	user, booking, event, code, payment := newUsers(), newBookings(), newEvents(), newLockCodes(), newPayments()
	return &Repository{
		db: db, zone: zone, user: user, booking: booking, event: event, code: code, payment: payment,
		users:         entity.NewTable(db, user),
		bookings:      entity.NewTable(db, booking),
		events:        entity.NewTable(db, event),
		payments:      entity.NewTable(db, payment),
		notifications: entity.NewTable(db, newNotifications()),
		codes:         entity.NewTable(db, code),
		entries:       entity.NewTable(db, newAuditEntries()),
	}
}

// today returns the date at the venue.
func (r *Repository) today() dynastay.Date { return dynastay.DateOf(r.db.Now(), r.zone) }

// consistent reports whether the caller asks for a consistent read.
func consistent(opts []dynastay.ReadOption) bool { return slices.Contains(opts, dynastay.Consistent) }
