package bookings

// BookingEntity is the stored form of a booking; EntityWith returns that of a repository with options.
var (
	BookingEntity = newEntity(Options{})
	EntityWith    = newEntity
)

// PromoEntity is the stored form of a promo code; PromoText returns the form in which a new code is stored.
var (
	PromoEntity = promoEntity
	PromoText   = promoText
)

// PaymentEntity is the stored form of the summary of payments, AttemptEntity that of one payment, and RefundEntity that
// of a refund.
var (
	PaymentEntity = summaryEntity
	AttemptEntity = paymentEntity
	RefundEntity  = refundEntity
)
