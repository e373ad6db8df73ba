// A test needs one import: `advance(by:)` comes with this product.
@_exported import RunLoopVirtualTime
