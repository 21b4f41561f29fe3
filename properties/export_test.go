package properties

// What the tests of stored forms need.
var (
	PropertyEntity = newEntity(Options{})
	RoomEntity     = newRoomEntity()
)
