package bookings

// BookingEntity is the stored form of a booking, and EntityWith that of a repository with options.
var (
	BookingEntity = newEntity(Options{})
	EntityWith    = newEntity
)
