// What Go programs can use without an import, as far as types flow through it.
package builtin

type error interface {
	Error() string
}

type any interface{}
type comparable interface{}
type string struct{}
type bool struct{}
type byte struct{}
type rune struct{}
type int struct{}
type int8 struct{}
type int16 struct{}
type int32 struct{}
type int64 struct{}
type uint struct{}
type uint8 struct{}
type uint16 struct{}
type uint32 struct{}
type uint64 struct{}
type uintptr struct{}
type float32 struct{}
type float64 struct{}
type complex64 struct{}
type complex128 struct{}

type slice__[T any] struct{}
type map__[K comparable, V any] struct{}

func append[T any](to T) T
func cap(of any) int
func clear(of any)
func close(of any)
func complex(a float64) complex128
func copy(a any) int
func delete(a any)
func imag(of complex128) float64
func len(of any) int
func make(a any)
func max[T any](a T) T
func min[T any](a T) T
func new(a any)
func panic(a any)
func print(a any)
func println(a any)
func real(of complex128) float64
func recover() any
