package reviews

// What the tests need of the stored forms.
var (
	EntityOf       = newEntity
	ResponseEntity = responseEntity
)
