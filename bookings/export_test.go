package bookings

// BookingEntity is the stored form of a booking.
var BookingEntity = newEntity(Options{})
