// `advance(by:)` comes with this product.
@_exported import RunLoopVirtualTime
