package properties

// Exported for the tests of the stored forms.
var (
	PropertyEntity = newEntity(Options{})
	RoomEntity     = newRoomEntity()
	ImageEntity    = newImageEntity()
	CardCodec      = cardCodec
)
