// Prints the names of a package's libraries: `swift package dump-package | swift .ci/list-libraries.swift`.
import Foundation

struct Package: Decodable {
  struct Product: Decodable {
    struct Kind: Decodable { let library: [String]? }
    let name: String
    let type: Kind
  }

  let products: [Product]
}

let package = try JSONDecoder().decode(Package.self, from: FileHandle.standardInput.readDataToEndOfFile())
for product in package.products where product.type.library != nil { print(product.name) }
