/// How many of the gaps between tasks or batches may lack a timer that is due all the time.
///
/// On Apple's platforms a kernel thread sends the message of a due timer, so the message may arrive a pass late.
func mostGapsWithoutATimer(of gaps: Int) -> Int {
  #if canImport(Darwin)
    gaps / 2
  #else
    0
  #endif
}
