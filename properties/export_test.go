package properties

// Exported for the tests of the stored forms.
var (
	PropertyEntity = newEntity(Options{})
	RoomEntity     = roomEntity()
	ImageEntity    = imageEntity()
	CardCodec      = cardCodec
)
