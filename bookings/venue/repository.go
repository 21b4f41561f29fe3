package venue

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Repository reads and writes everything of a venue.
type Repository struct {
	db   *dynastay.DB
	zone *time.Location

	user         *entity.Entity[User]
	booking      *entity.Entity[Booking]
	event        *entity.Entity[Event]
	payment      *entity.Entity[Payment]
	notification *entity.Entity[Notification]
	code         *entity.Entity[LockCode]
	entry        *entity.Entity[AuditEntry]

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
	r := &Repository{
		db: db, zone: time.UTC,
		user: newUsers(), booking: newBookings(), event: newEvents(), payment: newPayments(),
		notification: newNotifications(), code: newLockCodes(), entry: newAuditEntries(),
	}
	if opts != nil && opts.TimeZone != nil {
		r.zone = opts.TimeZone
	}
	r.users = entity.NewTable(db, r.user)
	r.bookings = entity.NewTable(db, r.booking)
	r.events = entity.NewTable(db, r.event)
	r.payments = entity.NewTable(db, r.payment)
	r.notifications = entity.NewTable(db, r.notification)
	r.codes = entity.NewTable(db, r.code)
	r.entries = entity.NewTable(db, r.entry)
	return r
}

// today returns the date at the venue.
func (r *Repository) today() dynastay.Date { return dynastay.DateOf(r.db.Now(), r.zone) }

// consistent reports whether the caller asks for a consistent read.
func consistent(opts []dynastay.ReadOption) bool { return slices.Contains(opts, dynastay.Consistent) }
