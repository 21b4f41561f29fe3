package bookings

// BookingEntity is the stored form of a booking; EntityWith returns that of a repository with options.
var (
	BookingEntity = newEntity(Options{})
	EntityWith    = newEntity
)
